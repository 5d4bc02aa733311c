/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2_archive.h"

#include "base/compiler.h"
#include "formats/pickle.h"

#include <string.h>

/* Larger pickles are no state dicts: the data of tensors lies outside of them. */
enum { PICKLE_MOST = 16 << 20 };

/* A record that PyTorch unpickles: a pickle, or a torch.save archive with some inside. */
struct pickled {
    struct sg_pt2_archive *a;
    uint32_t entry;
    struct sg_input input; /* the record's content */
    char *unpacked;        /* its memory, where the record is packed */
    size_t unpacked_size;
    struct sg_zip *zip;     /* the archive inside; null: a bare pickle */
    signet_program program; /* whose table to fill; null: none */
    signet_table table;
    bool known;
};

/* ---- Findings -------------------------------------------------------------------------------- */

/* "module.name" as the pickle spells it. */
static const char *import_text(struct sg_log *log, const struct sg_pickle_import *i) {
    if (i->module.data == NULL || i->name.data == NULL) {
        return "a name that is computed";
    }
    return sg_log_text(log, "%s.%s", sg_log_name(log, i->module), sg_log_name(log, i->name));
}

/* The imports as one line, at most some of them. */
static const char *import_list(struct sg_log *log, const struct sg_pickle *p, bool untrusted_only) {
    const char *list = "";
    uint32_t shown = 0, left = 0;
    for (uint32_t i = 0; i < p->imports.count; i++) {
        if (untrusted_only && p->imports.data[i].trusted) {
            continue;
        }
        if (shown == 8) {
            left++;
            continue;
        }
        list = sg_log_text(log, "%s%s%s", list, shown++ > 0 ? ", " : "",
                           import_text(log, &p->imports.data[i]));
    }
    return left > 0 ? sg_log_text(log, "%s and %u more", list, (unsigned)left) : list;
}

static const char *record_text(struct pickled *k) {
    return sg_log_name(k->a->log, signet_str(k->input.entry));
}

static signet_location at_pickle(struct pickled *k, uint32_t inner, size_t byte) {
    uint64_t start = k->zip != NULL && k->zip->entries.data[inner].method == 0
                         ? k->zip->entries.data[inner].data_at
                         : 0;
    signet_location location = sg_at_input(&k->input, start + byte);
    if (k->zip != NULL) {
        location.item = sg_log_text(k->a->log, "entry '%s'",
                                    sg_log_name(k->a->log, k->zip->entries.data[inner].name));
    }
    return location;
}

static void tell(struct pickled *k, uint32_t inner, const struct sg_pickle *p) {
    struct sg_log *log = k->a->log;
    uint32_t first = 0;
    struct sg_diag *d =
        sg_diag_begin(log, SIGNET_CODE_CARRIER_CONTAINS_PICKLE, at_pickle(k, inner, 0));
    sg_diag_message(d, "record '%s' is a pickle, which PyTorch runs when it loads the program",
                    record_text(k));
    sg_diag_fact(d, "imports: %s", p->imports.count > 0 ? import_list(log, p, false) : "none");
    sg_diag_end(d);
    while (first < p->imports.count && p->imports.data[first].trusted) {
        first++;
    }
    if (first < p->imports.count) {
        d = sg_diag_begin(log, SIGNET_CODE_CARRIER_PICKLE_IMPORTS,
                          at_pickle(k, inner, p->imports.data[first].byte));
        sg_diag_message(d,
                        "loading record '%s' imports %s, which is not among the names that "
                        "PyTorch trusts",
                        record_text(k), import_list(log, p, true));
        sg_diag_note(d, "Signet reads the instructions of the pickle and runs none");
        sg_diag_help(d, "do not load this file with PyTorch unless you trust who made it");
        sg_diag_end(d);
    } else if (p->problem != NULL) {
        d = sg_diag_begin(log, SIGNET_CODE_CARRIER_PICKLE_IMPORTS,
                          at_pickle(k, inner, p->problem_at));
        sg_diag_message(d,
                        "the pickle in record '%s' cannot be followed, so what it imports is not "
                        "known: %s",
                        record_text(k), p->problem);
        sg_diag_help(d, "do not load this file with PyTorch unless you trust who made it");
        sg_diag_end(d);
    }
}

/* ---- State dicts ----------------------------------------------------------------------------- */

static const struct sg_pickle_node *node_at(const struct sg_pickle *p, uint32_t i) {
    return &p->nodes.data[i];
}

static bool is_kind(const struct sg_pickle *p, uint32_t i, sg_pickle_kind kind) {
    return node_at(p, i)->kind == kind;
}

static uint32_t item(const struct sg_pickle *p, uint32_t tuple, uint32_t i) {
    const struct sg_pickle_node *n = node_at(p, tuple);
    return n->kind == SG_PICKLE_TUPLE && i < n->b ? p->pool.data[n->a + i] : 0;
}

static uint32_t item_count(const struct sg_pickle *p, uint32_t tuple) {
    return is_kind(p, tuple, SG_PICKLE_TUPLE) ? node_at(p, tuple)->b : 0;
}

static signet_string string_at(const struct sg_pickle *p, uint32_t i) {
    const struct sg_pickle_node *n = node_at(p, i);
    return (signet_string){n->kind == SG_PICKLE_STRING ? n->text : NULL, n->length};
}

static signet_dtype dtype_of(const struct sg_pickle *p, uint32_t global) {
    static const struct {
        const char *name;
        signet_dtype dtype;
    } storages[] = {
#define PICKLE_STORAGE(class_name, dtype) {class_name, SIGNET_DTYPE_##dtype},
#include "formats/pickle.def"
    };
    if (!is_kind(p, global, SG_PICKLE_GLOBAL)) {
        return SIGNET_DTYPE_UNKNOWN;
    }
    signet_string name = p->imports.data[node_at(p, global)->a].name;
    for (size_t i = 0; i < SG_COUNT_OF(storages); i++) {
        if (sg_string_is(name, storages[i].name)) {
            return storages[i].dtype;
        }
    }
    return sg_dtype_of_torch_name(name);
}

/* Sizes or strides of a tuple, at most as many as the limit of a tensor's rank. */
static bool read_sizes(struct pickled *k, const struct sg_pickle *p, uint32_t tuple,
                       signet_sym **out, uint32_t *count) {
    signet_package *package = k->a->p;
    *count = item_count(p, tuple);
    if (!is_kind(p, tuple, SG_PICKLE_TUPLE) || *count > package->limits.rank) {
        return false;
    }
    *out = sg_alloc(&package->allocator, (*count + 1) * sizeof(**out));
    if (*out == NULL) {
        sg_package_fail(package, SIGNET_E_NOMEM);
        return false;
    }
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t n = item(p, tuple, i);
        if (!is_kind(p, n, SG_PICKLE_INT)) {
            return false;
        }
        (*out)[i] = signet_sym_int(package, node_at(p, n)->number);
    }
    return true;
}

static bool read_shape(struct pickled *k, const struct sg_pickle *p, uint32_t args,
                       signet_type_info *info, signet_type *type) {
    const signet_allocator *a = &k->a->p->allocator;
    signet_sym *sizes = NULL, *strides = NULL;
    bool good = read_sizes(k, p, item(p, args, 2), &sizes, &info->rank) &&
                read_sizes(k, p, item(p, args, 3), &strides, &info->stride_count);
    if (good) {
        info->sizes = sizes;
        info->strides = strides;
        info->has_strides = true;
        *type = signet_type_make(k->a->p, info);
    }
    sg_free(a, sizes, (info->rank + 1) * sizeof(*sizes));
    sg_free(a, strides, (info->stride_count + 1) * sizeof(*strides));
    return good;
}

/* The record that holds a storage: its key is a name in the archive of the pickle. */
static void find_storage(struct pickled *k, uint32_t inner, signet_string key,
                         signet_state *state) {
    struct sg_text t;
    sg_text_init(&t, &k->a->p->allocator);
    signet_string pickle = k->zip->entries.data[inner].name;
    size_t folder = pickle.length;
    while (folder > 0 && pickle.data[folder - 1] != '/') {
        folder--;
    }
    sg_text_put(&t, pickle.data, folder);
    sg_text_puts(&t, "data/");
    sg_text_string(&t, key);
    uint32_t storage =
        t.failed ? SG_ZIP_NONE : sg_zip_find(k->zip, (signet_string){t.data, t.length});
    if (storage != SG_ZIP_NONE) {
        state->has_bytes = true;
        state->record_bytes = k->zip->entries.data[storage].size;
        sg_text_clear(&t);
        sg_text_puts(&t, k->input.entry);
        sg_text_putc(&t, '/');
        sg_text_string(&t, k->zip->entries.data[storage].name);
        sg_strid record = t.failed ? 0 : sg_intern(k->a->p, (signet_string){t.data, t.length});
        state->record = sg_string(k->a->p, record);
    }
    if (t.failed) {
        sg_package_fail(k->a->p, SIGNET_E_NOMEM);
    }
    sg_text_free(&t);
}

/* _rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks), or _v3 with a dtype
 * behind them. */
static bool read_tensor(struct pickled *k, uint32_t inner, const struct sg_pickle *p, uint32_t node,
                        signet_state *state) {
    const struct sg_pickle_node *call = node_at(p, node);
    bool v3 = sg_pickle_is(p, call->a, "torch._utils", "_rebuild_tensor_v3");
    if (call->kind != SG_PICKLE_CALL ||
        (!v3 && !sg_pickle_is(p, call->a, "torch._utils", "_rebuild_tensor_v2"))) {
        return false;
    }
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    uint32_t persistent = item(p, call->b, 0), offset = item(p, call->b, 1);
    uint32_t id = is_kind(p, persistent, SG_PICKLE_PERSISTENT) ? node_at(p, persistent)->a : 0;
    info.dtype = dtype_of(p, v3 ? item(p, call->b, 6) : item(p, id, 1));
    info.layout = SIGNET_LAYOUT_STRIDED;
    info.requires_grad = node_at(p, item(p, call->b, 4))->number != 0;
    info.device = string_at(p, item(p, id, 3));
    if (item_count(p, id) < 5 || !is_kind(p, offset, SG_PICKLE_INT)) {
        return false;
    }
    info.storage_offset = signet_sym_int(k->a->p, node_at(p, offset)->number);
    if (k->zip != NULL) {
        find_storage(k, inner, string_at(p, item(p, id, 2)), state);
    }
    return read_shape(k, p, call->b, &info, &state->type);
}

/* One value of a state dict; what is no tensor is an object. */
static void read_value(struct pickled *k, uint32_t inner, const struct sg_pickle *p,
                       const struct sg_pickle_pair *pair) {
    signet_state state = SIGNET_STATE_INIT;
    uint32_t value = pair->value;
    const struct sg_pickle_node *call = node_at(p, value);
    state.table = k->table;
    state.name = string_at(p, pair->key);
    if (call->kind == SG_PICKLE_CALL &&
        (sg_pickle_is(p, call->a, "torch._utils", "_rebuild_parameter") ||
         sg_pickle_is(p, call->a, "torch._utils", "_rebuild_parameter_with_state"))) {
        state.is_parameter = true;
        value = item(p, call->b, 0);
    }
    state.is_pickled = !read_tensor(k, inner, p, value, &state);
    signet_state_add(k->a->p, k->program, &state);
}

/* The whole dict, or nothing: a table that is known in part would make rules say wrong things. */
static void read_state_dict(struct pickled *k, uint32_t inner, const struct sg_pickle *p,
                            uint32_t source) {
    const struct sg_pickle_node *root = node_at(p, p->root);
    bool ordered =
        root->kind == SG_PICKLE_CALL && sg_pickle_is(p, root->a, "collections", "OrderedDict");
    if (p->problem != NULL || (root->kind != SG_PICKLE_DICT && !ordered)) {
        return;
    }
    for (uint32_t i = root->first_pair; i != 0; i = p->pairs.data[i].next) {
        if (!is_kind(p, p->pairs.data[i].key, SG_PICKLE_STRING)) {
            return;
        }
    }
    struct sg_span nowhere = {0, 0};
    for (uint32_t i = root->first_pair; i != 0; i = p->pairs.data[i].next) {
        read_value(k, inner, p, &p->pairs.data[i]);
        uint32_t count = signet_state_count(k->a->p, k->program);
        if (k->a->p->status != SIGNET_OK) {
            return;
        }
        sg_state_set_span(k->a->p, k->program, count - 1, source, nowhere);
    }
    k->known = true;
}

/* ---- Records --------------------------------------------------------------------------------- */

static signet_status scan_bytes(struct pickled *k, uint32_t inner, const char *data, size_t size) {
    struct sg_pickle p;
    signet_package *package = k->a->p;
    signet_status status = SIGNET_OK;
    if (!sg_pickle_scan(&p, &package->allocator, data, size)) {
        status = SIGNET_E_NOMEM;
    } else {
        tell(k, inner, &p);
        if (k->program.id != 0) {
            uint32_t source = sg_source_add(package, package->carrier, signet_str(k->input.name),
                                            signet_str(k->input.entry), NULL, size);
            read_state_dict(k, inner, &p, source);
        }
        status = signet_package_status(package);
    }
    sg_pickle_free(&p);
    return status;
}

static signet_status too_large(struct pickled *k, uint32_t inner) {
    struct sg_diag *d =
        sg_diag_begin(k->a->log, SIGNET_CODE_CARRIER_PICKLE_IMPORTS, at_pickle(k, inner, 0));
    sg_diag_message(d,
                    "the pickle in record '%s' is larger than the %d MiB that Signet looks at, so "
                    "what it imports is not known",
                    record_text(k), PICKLE_MOST >> 20);
    sg_diag_end(d);
    return SIGNET_OK;
}

/* The pickles of an archive that torch.save wrote. */
static signet_status scan_zip(struct pickled *k) {
    signet_package *package = k->a->p;
    signet_status status = SIGNET_OK;
    k->zip = sg_zip_open(&package->allocator, &package->limits, k->a->log, &k->input, &status);
    if (k->zip == NULL) {
        return status;
    }
    for (uint32_t i = 0; i < k->zip->entries.count && status == SIGNET_OK; i++) {
        if (!sg_string_ends(k->zip->entries.data[i].name, ".pkl")) {
            continue;
        }
        char *data = NULL;
        size_t size = 0;
        if (k->zip->entries.data[i].size > PICKLE_MOST) {
            status = too_large(k, i);
            continue;
        }
        status = sg_zip_read(k->zip, i, 0, &data, &size);
        if (status == SIGNET_OK) {
            status = scan_bytes(k, i, data, size);
            sg_free(&package->allocator, data, size);
        }
    }
    sg_zip_close(k->zip);
    k->zip = NULL;
    return status;
}

static signet_status scan_bare(struct pickled *k) {
    const signet_allocator *a = &k->a->p->allocator;
    size_t size = (size_t)k->input.size;
    if (k->input.size > PICKLE_MOST) {
        return too_large(k, 0);
    }
    char *data = sg_alloc(a, size);
    signet_status status = data == NULL                               ? SIGNET_E_NOMEM
                           : !sg_input_read(&k->input, 0, data, size) ? SIGNET_E_IO
                                                                      : SIGNET_OK;
    if (status == SIGNET_OK) {
        status = scan_bytes(k, 0, data, size);
    }
    sg_free(a, data, size);
    return status;
}

static signet_status scan_record(struct pickled *k) {
    struct sg_zip *z = k->a->zip;
    struct sg_zip_entry *e = &z->entries.data[k->entry];
    signet_status status = SIGNET_OK;
    if (!e->sound || e->size == 0 || (e->scanned && k->program.id == 0)) {
        k->known = e->sound && e->size == 0; /* PyTorch takes nothing for an empty dict */
        return SIGNET_OK;
    }
    e->scanned = true;
    if (!sg_zip_window(z, k->entry, &k->input)) {
        status = sg_zip_read(z, k->entry, 0, &k->unpacked, &k->unpacked_size);
        k->input = (struct sg_input){.name = k->a->input->name,
                                     .data = (const unsigned char *)k->unpacked,
                                     .size = k->unpacked_size};
    }
    if (status != SIGNET_OK) {
        return status;
    }
    char head[2] = {0, 0};
    k->input.entry = e->name.data; /* NUL-terminated, lives as long as the archive */
    (void)sg_input_read(&k->input, 0, head, k->input.size < 2 ? 0 : 2);
    status = head[0] == 'P' && head[1] == 'K' ? scan_zip(k) : scan_bare(k);
    sg_free(&k->a->p->allocator, k->unpacked, k->unpacked_size);
    return status;
}

signet_status sg_pt2_pickle(struct sg_pt2_archive *a, uint32_t entry) {
    struct pickled k = {.a = a, .entry = entry};
    return scan_record(&k);
}

signet_status sg_pt2_pickled_state(struct sg_pt2_archive *a, uint32_t entry, signet_program program,
                                   signet_table table, bool *known) {
    struct pickled k = {.a = a, .entry = entry, .program = program, .table = table};
    signet_status status = scan_record(&k);
    *known = k.known;
    return status;
}
