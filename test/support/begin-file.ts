import { afterAll, beforeEach } from "vitest";
import { closeOwnAudits } from "./audit-programs.ts";
import { auditAtEndOfFile } from "./expect-ledger-consistent.ts";
import { beginFileInMonth } from "./last-month.ts";
import { beginFile, day, hour, minute } from "./program-fixture.ts";
import { withinWindow } from "./within-window.ts";

// A setup file for projects whose test files share a process. Daily counts would be split if a test ran over the end of
// a day. So a file starts only if the UTC day doesn't end soon, and a test starts only if the hour doesn't end soon,
// because at each full hour a day ends in some time zone.
await withinWindow(day, 2 * minute);
beginFile();
beginFileInMonth();
beforeEach(() => withinWindow(hour, 20_000));
afterAll(closeOwnAudits);
auditAtEndOfFile();
