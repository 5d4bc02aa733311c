/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FAULTS_H
#define TOOLS_FAULTS_H

/* Faults in Signet become an exit status like any other, so that scripts can tell them from
 * findings. Sanitizers catch the same signals and say more, so under them nothing is done. */

/* Where a thread's handler runs: its stack may be what ran out. Must live as long as the thread. */
struct fault_room {
    char bytes[1 << 14];
};

/* Once, in the main thread. */
void faults_catch(struct fault_room *room);
/* In every other thread. */
void faults_catch_in_thread(struct fault_room *room);

#endif
