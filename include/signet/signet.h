/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNET_SIGNET_H
#define SIGNET_SIGNET_H

/*
 * Everything of Signet. A reader in a hurry starts with:
 *
 *     signet_package *pkg = NULL;
 *     signet_sink sink = {on_finding, my_state};
 *     signet_report report = SIGNET_REPORT_INIT;
 *     signet_status rc = signet_read_file(&pkg, "model.pt2", NULL, &sink);
 *     if (rc == SIGNET_OK) rc = signet_verify(pkg, NULL, &sink, &report);
 *     if (rc == SIGNET_OK && report.errors == 0) compile(pkg);
 *     signet_package_destroy(pkg);
 */

#include "signet/base.h"
#include "signet/diag.h"
#include "signet/formats.h"
#include "signet/ir.h"
#include "signet/signature.h"
#include "signet/verify.h"

#endif
