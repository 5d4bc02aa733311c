/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct option_row picture_options[] = {
    {KEY_PROGRAM, "program", "NAME", "only that program, and what it calls"},
    {KEY_SVG, "svg", NULL, "an SVG picture, made by Graphviz's dot"},
    {0, NULL, NULL, NULL},
};

static const struct option_group groups[] = {{"Picture", picture_options},
                                             {"Reading", options_of_reading},
                                             {"Output", options_of_output},
                                             {NULL, NULL}};

static enum status run(int argc, char **argv);

const struct command command_dot = {
    .name = "dot",
    .usage = "[OPTION...] FILE",
    .title = "Draws a program for Graphviz.",
    .about = "Cylinders are states: parameters, buffers, constants. A bold red edge leads from\n"
             "a new value back to the state that it updates; a dashed red cylinder is a state\n"
             "that does not exist. Green ovals are what the user gives and gets, violet boxes\n"
             "call delegates. Subgraphs and the programs inside delegates are boxes of their\n"
             "own. A node shows its name, operator and type, and in SVG its line of the model\n"
             "when the mouse is on it.\n"
             "\n"
             "Exit status: 0 written; 1 written as far as FILE could be read, or not at all,\n"
             "and the errors are on standard error; 2 to 4 as for signet lint.\n",
    .examples = "  signet dot model.pt2 --svg -o model.svg\n"
                "  signet dot model.pt2 | dot -Tpng -o model.png\n"
                "  signet dot --body lowered_module_0=delegate.txt lowered.txt\n",
    .groups = groups,
    .run = run,
};

struct dot_options {
    struct output_options output;
    struct source_options source;
    const char *program;
    bool svg;
};

static bool take(void *user, int key, char *argument) {
    struct dot_options *o = user;
    switch (key) {
    case KEY_PROGRAM:
        o->program = argument;
        return true;
    case KEY_SVG:
        o->svg = true;
        return true;
    case KEY_OUTPUT:
    case KEY_COLOR:
        return output_options_take(&o->output, key, argument);
    default:
        return source_options_take(&o->source, key, argument);
    }
}

/* ---- Graphviz -------------------------------------------------------------------------------- */

extern char **environ;

/* Starts dot, which reads one descriptor and writes to another. The error, or 0. */
static int start_dot(int in, const int out[2], pid_t *child) {
    char name[] = "dot", form[] = "-Tsvg";
    char *argv[] = {name, form, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        error =
            error != 0 ? error : posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        error = error != 0 ? error : posix_spawn_file_actions_addclose(&actions, out[0]);
        error = error != 0 ? error : posix_spawnp(child, name, &actions, NULL, argv, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    return error;
}

static void say_no_dot(int error) {
    if (error == ENOENT) {
        trouble("dot: --svg needs Graphviz, whose program 'dot' is not there; install graphviz, or "
                "leave --svg out");
    } else {
        trouble("dot: cannot run Graphviz's dot: %s", strerror(error));
    }
}

static enum status wait_for_dot(pid_t child) {
    int state = 0;
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR) {
            trouble("dot: cannot wait for Graphviz's dot: %s", strerror(errno));
            return STATUS_USE;
        }
    }
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) {
        return STATUS_OK;
    }
    trouble("dot: Graphviz's dot ended with %s %d", WIFEXITED(state) ? "status" : "signal",
            WIFEXITED(state) ? WEXITSTATUS(state) : WTERMSIG(state));
    return STATUS_USE;
}

/* Puts the picture in the place of its text. The text goes through a file without a name: two pipes
 * could wait for each other. */
static enum status make_svg(struct text *text) {
    FILE *in = tmpfile();
    int out[2] = {-1, -1};
    pid_t child = 0;
    enum status status = STATUS_USE;
    struct text svg = {0};
    if (in == NULL || fwrite(text->data, 1, text->length, in) != text->length || fflush(in) != 0 ||
        fseek(in, 0, SEEK_SET) != 0 || pipe(out) != 0) {
        trouble("dot: cannot hand the picture to Graphviz: %s", strerror(errno));
    } else {
        int error = start_dot(fileno(in), out, &child);
        (void)close(out[1]);
        if (error != 0) {
            say_no_dot(error);
        } else {
            bool all = read_all(out[0], SIZE_MAX / 4, &svg);
            status = wait_for_dot(child);
            if (status == STATUS_OK && !all) {
                trouble("dot: cannot read what Graphviz's dot has made");
                status = STATUS_USE;
            }
        }
        (void)close(out[0]);
    }
    if (in != NULL) {
        (void)fclose(in);
    }
    text_free(text);
    *text = svg;
    return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

static enum status draw(struct dot_options *o, const signet_package *package, const char *path) {
    struct out *out = &o->output.out;
    signet_writer writer = text_writer(&out->text);
    signet_program program = {0};
    if (o->program != NULL) {
        program = signet_program_find(package, signet_str(o->program));
        if (program.id == 0) {
            trouble("%s has no program '%s'", source_name(path), o->program);
            return STATUS_USE;
        }
    }
    signet_status status = signet_write_dot(package, program, &writer);
    enum status result = STATUS_OK;
    if (status != SIGNET_OK) {
        trouble("%s: cannot draw: %s", source_name(path), signet_status_text(status));
        result = status_of(status);
    } else if (o->svg) {
        result = make_svg(&out->text);
    }
    if (result == STATUS_OK) {
        return out_close(out);
    }
    text_free(&out->text);
    return result;
}

static enum status run(int argc, char **argv) {
    struct dot_options o = {.source = source_options_default()};
    int first = 0;
    enum status status = STATUS_OK;
    if (options_parse(&command_dot, argc, argv, take, &o, &first, &status) == PARSED &&
        !source_options_help(&o.source, &status)) {
        const char *path = source_one_file(&command_dot, argc - first, argv + first);
        status = STATUS_USE;
        if (path != NULL) {
            signet_package *package = source_read_one(&o.source, path, &status);
            if (package != NULL) {
                status = status_worse(status, draw(&o, package, path));
            }
            signet_package_destroy(package);
        }
    }
    source_options_free(&o.source);
    return status;
}
