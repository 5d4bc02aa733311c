/* SPDX-License-Identifier: Apache-2.0 */
#include "archive.h"

#include <stdlib.h>
#include <string.h>

const char archive_config[] =
    "{\"config\": {\"counter\": {\"path_name\": \"weight_0\", \"is_param\": false, "
    "\"use_pickle\": false, \"tensor_meta\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 1}], "
    "\"requires_grad\": false, \"device\": {\"type\": \"cpu\", \"index\": null}, "
    "\"strides\": [{\"as_int\": 1}], \"storage_offset\": {\"as_int\": 0}, \"layout\": 7}}}}";

void archive_init(struct archive *a) {
    size_t size;
    memset(a, 0, sizeof(*a));
    zip_maker_init(&a->zip);
    a->model = data_bytes("small.json", &size);
    a->weight = zip_maker_add(&a->zip, "r/data/weights/weight_0", "\0\0\200\77", 4);
    a->weights =
        zip_maker_text(&a->zip, "r/data/weights/model_weights_config.json", archive_config);
    a->constants =
        zip_maker_text(&a->zip, "r/data/constants/model_constants_config.json", "{\"config\": {}}");
    a->program = zip_maker_text(&a->zip, "r/models/model.json", a->model);
    a->inputs = zip_maker_text(&a->zip, "r/data/sample_inputs/model.pt", "");
    a->format = zip_maker_text(&a->zip, "r/archive_format", "pt2");
    a->version = zip_maker_text(&a->zip, "r/archive_version", "0");
    a->framing = zip_maker_text(&a->zip, "r/.data/version", "6\n");
}

void archive_read(struct archive *a, struct reading *r, bool deep) {
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    options.deep = deep;
    zip_maker_make(&a->zip);
    read_bytes(r, a->zip.bytes, a->zip.size, &options);
    zip_maker_free(&a->zip);
    free(a->model);
}
