import { auditAtEndOfFile } from "./expect-ledger-consistent.ts";
import { beginFile } from "./program-fixture.ts";

// A setup file of the projects whose test files share processes.
beginFile();
auditAtEndOfFile();
