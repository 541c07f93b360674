import type { DecisionFacts } from "./facts.ts";
import { freeText, quoted } from "./text.ts";

export const memberText = (decision: DecisionFacts | undefined): string =>
  decision?.name == null ? "a former member" : freeText(decision.name);

export const reasonText = (decision: DecisionFacts | undefined): string =>
  decision?.reason == null ? "" : `: ${quoted(decision.reason)}`;
