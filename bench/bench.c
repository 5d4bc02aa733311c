/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Measures what Signet does in memory: builds a program of N nodes by calls, then verifies, clones,
 * hashes and compares it. One JSON line per measure: name, n, median and spread of the CPU seconds,
 * and bytes where memory is meant. bench/run reads the lines and makes the table of ratios.
 *
 *     bench N [RUNS]
 */

#include <inttypes.h>
#include <signet/signet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- An allocator that counts ---------------------------------------------------------------- */

struct counter {
    size_t live, peak;
};

static void *count_allocate(void *context, size_t size) {
    struct counter *c = context;
    c->live += size;
    c->peak = c->live > c->peak ? c->live : c->peak;
    return malloc(size);
}

static void *count_reallocate(void *context, void *memory, size_t old_size, size_t new_size) {
    struct counter *c = context;
    c->live = c->live - old_size + new_size;
    c->peak = c->live > c->peak ? c->live : c->peak;
    return realloc(memory, new_size);
}

static void count_release(void *context, void *memory, size_t size) {
    struct counter *c = context;
    c->live -= size;
    free(memory);
}

/* ---- The program ----------------------------------------------------------------------------- */

/* One state for so many nodes, as in a decoder with caches. */
enum { NODES_PER_STATE = 32 };

static signet_type make_type(signet_package *p, int64_t rows) {
    signet_sym sizes[] = {signet_sym_int(p, rows), signet_sym_int(p, 64)};
    signet_sym strides[] = {signet_sym_int(p, 64), signet_sym_int(p, 1)};
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    info.dtype = SIGNET_DTYPE_F32;
    info.layout = SIGNET_LAYOUT_STRIDED;
    info.device = signet_str("cpu");
    info.sizes = sizes;
    info.rank = 2;
    info.has_strides = true;
    info.strides = strides;
    info.stride_count = 2;
    info.storage_offset = signet_sym_int(p, 0);
    return signet_type_make(p, &info);
}

static void add_spec(signet_package *p, signet_program f, signet_side side, int kind,
                     const char *name, const char *target) {
    signet_spec spec = SIGNET_SPEC_INIT;
    spec.side = side;
    spec.kind = kind;
    spec.name = signet_str(name);
    spec.arg_kind = SIGNET_ARG_TENSOR;
    spec.target = signet_str(target);
    if (side == SIGNET_INPUT && kind == SIGNET_INPUT_KIND_BUFFER) {
        spec.persistent = SIGNET_PERSISTENT_YES;
    }
    signet_spec_add(p, f, &spec);
}

static void add_inputs(signet_package *p, signet_program f, uint32_t states, signet_type type) {
    char name[32];
    char target[32];
    signet_arg in = signet_graph_set_inputs(p, signet_program_graph(p, f), states + 1);
    for (uint32_t i = 0; i <= states; i++) {
        snprintf(name, sizeof(name), i < states ? "b_s%u" : "x", i);
        snprintf(target, sizeof(target), "s%u", i);
        signet_value v =
            signet_arg_set_named(p, (signet_arg){in.id + i}, SIGNET_ARG_TENSOR, signet_str(name));
        signet_value_describe_tensor(p, v, type);
        add_spec(p, f, SIGNET_INPUT,
                 i < states ? SIGNET_INPUT_KIND_BUFFER : SIGNET_INPUT_KIND_USER_INPUT, name,
                 i < states ? target : NULL);
    }
}

/* Node i takes the node before, the state of its block and a literal. */
static signet_value add_node(signet_package *p, signet_program f, uint32_t i, signet_value before,
                             signet_value state, signet_type type) {
    static const char *const operators[] = {
        "torch.ops.aten.add.Tensor", "torch.ops.aten.mul.Tensor", "torch.ops.aten.sub.Tensor"};
    char name[32];
    signet_node n = signet_node_append(p, signet_program_graph(p, f), signet_str(operators[i % 3]));
    signet_arg in = signet_node_set_inputs(p, n, 3);
    signet_arg_set_value(p, in, SIGNET_ARG_TENSOR, before);
    signet_arg_set_value(p, (signet_arg){in.id + 1}, SIGNET_ARG_TENSOR, state);
    signet_arg_set_int(p, (signet_arg){in.id + 2}, SIGNET_ARG_INT, (int64_t)(i % 7));
    snprintf(name, sizeof(name), "n%u", i);
    signet_value v = signet_arg_set_named(p, signet_node_set_outputs(p, n, 1), SIGNET_ARG_TENSOR,
                                          signet_str(name));
    signet_value_describe_tensor(p, v, type);
    return v;
}

static signet_package *build(uint32_t nodes, const signet_allocator *allocator) {
    signet_package *p = NULL;
    if (signet_package_create(&p, allocator, NULL) != SIGNET_OK) {
        return NULL;
    }
    uint32_t states = nodes / NODES_PER_STATE + 1;
    signet_program f = signet_program_add(p, signet_str("forward"), SIGNET_ROLE_METHOD);
    signet_graph g = signet_program_graph(p, f);
    signet_type type = make_type(p, 16);
    add_inputs(p, f, states, type);
    signet_arg out = signet_graph_set_outputs(p, g, states + 1);
    signet_value last = signet_arg_value(p, signet_graph_input(p, g, states));
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t state = i / NODES_PER_STATE;
        signet_value b = signet_arg_value(p, signet_graph_input(p, g, state));
        last = add_node(p, f, i, last, b, type);
        if (i % NODES_PER_STATE == NODES_PER_STATE - 1 || i + 1 == nodes) {
            signet_arg_set_value(p, (signet_arg){out.id + state}, SIGNET_ARG_TENSOR, last);
        }
    }
    for (uint32_t s = 0; s <= states; s++) {
        char target[32];
        signet_arg o = {out.id + s};
        if (signet_arg_value(p, o).id == 0) {
            signet_arg_set_value(p, o, SIGNET_ARG_TENSOR, last);
        }
        snprintf(target, sizeof(target), "s%u", s);
        add_spec(p, f, SIGNET_OUTPUT,
                 s < states ? SIGNET_OUTPUT_KIND_BUFFER_MUTATION : SIGNET_OUTPUT_KIND_USER_OUTPUT,
                 signet_value_name(p, signet_arg_value(p, o)).data, s < states ? target : NULL);
    }
    return p;
}

/* ---- What names cost ------------------------------------------------------------------------- */

/* Bytes of a package whose top graph defines n inputs: under n names, or all under one name (then
 * only the first is in the table of names). With `interned`, the n names are strings already. */
static size_t bytes_of(uint32_t n, bool interned, bool inputs, bool distinct) {
    struct counter counter = {0, 0};
    signet_allocator allocator = {count_allocate, count_reallocate, count_release, &counter};
    signet_package *p = NULL;
    char name[32];
    if (signet_package_create(&p, &allocator, NULL) != SIGNET_OK) {
        return 0;
    }
    signet_program f = signet_program_add(p, signet_str("forward"), SIGNET_ROLE_METHOD);
    for (uint32_t i = 0; interned && i < n; i++) {
        snprintf(name, sizeof(name), "n%u", i);
        signet_program_add_metadata(p, f, signet_str(name), signet_str("forward"));
    }
    signet_arg in =
        inputs ? signet_graph_set_inputs(p, signet_program_graph(p, f), n) : (signet_arg){0};
    for (uint32_t i = 0; inputs && i < n; i++) {
        snprintf(name, sizeof(name), "n%u", distinct ? i : 0);
        signet_arg_set_named(p, (signet_arg){in.id + i}, SIGNET_ARG_TENSOR, signet_str(name));
    }
    size_t bytes = counter.live;
    signet_package_destroy(p);
    return bytes;
}

/* A name costs its text and entry among the strings, and its entry in the table that finds values.
 * A metadata pair, which brings the string here, has 8 bytes. */
static size_t bytes_of_names(uint32_t n) {
    size_t strings = bytes_of(n, true, false, false) - bytes_of(n, false, false, false);
    size_t table = bytes_of(n, true, true, true) - bytes_of(n, true, true, false);
    return strings - (size_t)n * 8 + table;
}

/* ---- Measuring ------------------------------------------------------------------------------- */

/* CPU seconds of this process: other work on the machine does not count. */
static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b) {
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

static void print_measure(const char *name, uint32_t n, double *seconds, uint32_t runs) {
    qsort(seconds, runs, sizeof(*seconds), by_value);
    printf("{\"name\": \"%s\", \"n\": %u, \"median\": %.9f, \"min\": %.9f, \"max\": %.9f}\n", name,
           n, seconds[runs / 2], seconds[0], seconds[runs - 1]);
}

static void die(const char *what) {
    fprintf(stderr, "bench: %s failed\n", what);
    exit(1);
}

static double time_of(const char *name, const signet_package *p) {
    double start = now();
    if (strcmp(name, "verify") == 0) {
        signet_report report = SIGNET_REPORT_INIT;
        if (signet_verify(p, NULL, NULL, &report) != SIGNET_OK || report.errors != 0) {
            die("verify");
        }
    } else if (strcmp(name, "clone") == 0) {
        signet_package *copy = NULL;
        if (signet_package_clone(&copy, p, NULL) != SIGNET_OK) {
            die("clone");
        }
        double took = now() - start; /* ending the copy is not part of it */
        signet_package_destroy(copy);
        return took;
    } else if (strcmp(name, "hash") == 0) {
        signet_hash hash;
        if (signet_package_hash(p, SIGNET_HASH_STRUCTURAL, &hash) != SIGNET_OK) {
            die("hash");
        }
    } else {
        bool equal = false;
        if (signet_package_equal(p, p, SIGNET_EQUAL_STRUCTURAL, &equal, NULL) != SIGNET_OK ||
            !equal) {
            die("equal");
        }
    }
    return now() - start;
}

/* What the package, and each measure on top of it, takes at most. */
static void print_memory(uint32_t n, const char *const *names, size_t count) {
    struct counter counter = {0, 0};
    signet_allocator allocator = {count_allocate, count_reallocate, count_release, &counter};
    signet_package *p = build(n, &allocator);
    size_t package_bytes = counter.live;
    if (p == NULL) {
        die("build");
    }
    printf("{\"name\": \"package-bytes\", \"n\": %u, \"bytes\": %zu}\n", n, package_bytes);
    printf("{\"name\": \"names-bytes\", \"n\": %u, \"bytes\": %zu}\n", n, bytes_of_names(n));
    for (size_t k = 0; k < count; k++) {
        counter.peak = counter.live;
        time_of(names[k], p);
        printf("{\"name\": \"%s-bytes\", \"n\": %u, \"bytes\": %zu}\n", names[k], n,
               counter.peak - package_bytes);
    }
    signet_package_destroy(p);
}

int main(int argc, char **argv) {
    enum { MOST_RUNS = 101 };
    static const char *const names[] = {"verify", "clone", "hash", "equal"};
    double seconds[MOST_RUNS];
    uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000;
    uint32_t runs = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 7;
    if (n == 0 || n > 16000000 || runs == 0 || runs > MOST_RUNS) {
        fprintf(stderr, "usage: bench NODES [RUNS], at most 16000000 nodes and %d runs\n",
                MOST_RUNS);
        return 2;
    }
    signet_package *p = NULL; /* with the library's own allocator, which is what most will use */
    for (uint32_t i = 0; i < runs; i++) {
        signet_package_destroy(p);
        double start = now();
        p = build(n, NULL);
        seconds[i] = now() - start;
        if (p == NULL || signet_package_status(p) != SIGNET_OK) {
            die("build");
        }
    }
    print_measure("build", n, seconds, runs);
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        for (uint32_t i = 0; i < runs; i++) {
            seconds[i] = time_of(names[k], p);
        }
        print_measure(names[k], n, seconds, runs);
    }
    signet_package_destroy(p);
    print_memory(n, names, sizeof(names) / sizeof(names[0]));
    return 0;
}
