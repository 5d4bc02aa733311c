/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_JSON_WRITE_H
#define SG_FORMATS_JSON_WRITE_H

/* JSON as Python's json.dumps spells it: ASCII alone, ", " and ": " between things, floats by their
 * repr. */

#include "base/text.h"

/* A string with its quotes; null where it is absent. Bytes that are no UTF-8 become the lone
 * surrogates that Python's "surrogateescape" gives them. */
void sg_json_put_string(struct sg_text *t, signet_string s);
/* What is not finite is a bare word, or the same word as a string. */
void sg_json_put_real(struct sg_text *t, double v, bool bare);
/* JSON text in another form, such as a RAW argument holds it. The text must be JSON. */
void sg_json_put_respelled(struct sg_text *t, signet_string json);

#endif
