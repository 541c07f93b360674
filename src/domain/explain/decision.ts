import type { DecisionFacts } from "./facts.ts";
import { freeText, quotedText } from "./text.ts";

export const memberText = (decision: DecisionFacts | undefined): string =>
  decision?.name == null ? "a former member" : freeText(decision.name);

export const reasonText = (decision: DecisionFacts | undefined): string =>
  decision?.reason == null ? "" : `: ${quotedText(decision.reason)}`;
