import fc from "fast-check";
import { isWhole } from "./breadth.ts";

// A setup file. `npm test` always draws the same random cases, so that its result doesn't depend on them. `npm run soak`
// draws new ones each time, as does a run that sets a number of cases, such as HISTORY_RUNS.

const setsNumber = Object.keys(process.env).some((name) => /_(?:HISTORIES|RUNS)$/.test(name));
if (!isWhole && !setsNumber) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 7 });
