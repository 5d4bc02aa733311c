/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "verifier/verifier_internal.h"

const char *sg_quote(struct sg_verify *v, sg_strid name) {
    if (name == 0) {
        return "nothing";
    }
    return sg_log_text(&v->log, "'%s'", sg_log_name(&v->log, sg_string(v->p, name)));
}

const char *sg_spec_words(struct sg_verify *v, signet_side side, uint32_t i) {
    const char *what = side == SIGNET_INPUT ? "input" : "output";
    sg_strid name = sg_spec_name(v, side, i);
    if (name == 0) {
        return sg_log_text(&v->log, "%s %u", what, i);
    }
    return sg_log_text(&v->log, "%s %u %s", what, i, sg_quote(v, name));
}

const char *sg_spec_kind_words(struct sg_verify *v, signet_side side, uint32_t i) {
    const struct sg_spec *s = sg_spec_at(v, side, i);
    const char *name = side == SIGNET_INPUT ? signet_input_kind_name((signet_input_kind)s->kind)
                                            : signet_output_kind_name((signet_output_kind)s->kind);
    return name != NULL ? name : sg_log_name(&v->log, sg_string(v->p, s->raw_tag));
}

/* The target that mutations of an input go by: its declared name for user inputs. */
static sg_strid aim_of(const struct sg_verify *v, uint32_t i) {
    const struct sg_spec *s = sg_spec_at(v, SIGNET_INPUT, i);
    return s->kind == SIGNET_INPUT_KIND_USER_INPUT ? sg_spec_name(v, SIGNET_INPUT, i) : s->target;
}

const char *sg_targets_words(struct sg_verify *v, signet_input_kind kind) {
    enum { SHOWN = 8 };
    uint32_t total = sg_input_kind_count(v, kind);
    uint32_t inputs = sg_program(v->p, v->program.id)->specs[SIGNET_INPUT].count;
    const char *text = "";
    uint32_t count = 0;
    for (uint32_t i = 0; i < inputs && count < SHOWN && count < total; i++) {
        if (sg_spec_at(v, SIGNET_INPUT, i)->kind == kind) {
            text = sg_log_text(&v->log, "%s%s%s", text, count != 0 ? ", " : "",
                               sg_quote(v, aim_of(v, i)));
            count++;
        }
    }
    if (count == 0) {
        return "none";
    }
    return total > count ? sg_log_text(&v->log, "%s and %u more", text, total - count) : text;
}

struct sg_near sg_near_start(const struct sg_verify *v, sg_strid wanted) {
    signet_string text = sg_string(v->p, wanted);
    uint32_t most = text.length / 3 > 1 ? (uint32_t)(text.length / 3) : 1;
    return (struct sg_near){.wanted = text, .not = wanted, .distance = most + 1};
}

bool sg_near_offer(struct sg_verify *v, struct sg_near *near, sg_strid name) {
    if (near->looks >= SG_HINT_LOOKS || v->hint_looks >= SG_HINT_LOOKS_OF_RUN) {
        return false;
    }
    near->looks++;
    v->hint_looks++;
    if (name != 0 && name != near->not ) {
        uint32_t distance =
            sg_edit_distance(near->wanted, sg_string(v->p, name), near->distance - 1);
        near->name = distance < near->distance ? name : near->name;
        near->distance = distance < near->distance ? distance : near->distance;
    }
    return near->distance > 1;
}

sg_strid sg_target_near(struct sg_verify *v, signet_input_kind kind, sg_strid target) {
    struct sg_near near = sg_near_start(v, target);
    uint32_t inputs = sg_program(v->p, v->program.id)->specs[SIGNET_INPUT].count;
    bool more = true;
    for (uint32_t i = 0; i < inputs && more; i++) {
        bool fits = sg_spec_at(v, SIGNET_INPUT, i)->kind == kind;
        more = sg_near_offer(v, &near, fits ? aim_of(v, i) : 0);
    }
    return near.name;
}

const char *sg_type_words(struct sg_verify *v, uint32_t type) {
    struct sg_text t;
    sg_text_init(&t, &v->p->allocator);
    sg_type_text(v->p, (signet_type){type}, &t);
    const char *words = sg_log_text(&v->log, "%.*s", (int)t.length, t.length != 0 ? t.data : "");
    if (t.failed && v->log.status == SIGNET_OK) {
        v->log.status = SIGNET_E_NOMEM;
    }
    sg_text_free(&t);
    return words;
}
