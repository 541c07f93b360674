import { beforeEach } from "vitest";
import { auditAtEndOfFile } from "./expect-ledger-consistent.ts";
import { beginFile, day, hour, minute } from "./program-fixture.ts";
import { withinWindow } from "./within-window.ts";

// A setup file of the projects whose test files share processes. A file doesn't run into the next day, nor a test over a full
// hour, when it is midnight in some time zone: what is counted by days would be split.
await withinWindow(day, 2 * minute);
beginFile();
beforeEach(() => withinWindow(hour, 20_000));
auditAtEndOfFile();
