import { beginFile } from "./program-fixture.ts";

// Before each file of a project whose files share processes.
beginFile();
