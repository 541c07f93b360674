import { beginFile } from "./shop.ts";

// Before each file of a project whose files share processes.
beginFile();
