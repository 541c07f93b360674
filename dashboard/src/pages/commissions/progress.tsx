import type { JSX } from "preact";
import { ProgressLine } from "../../components/progress.tsx";
import type { Decide } from "./decide.ts";

/** Progress of a decision that takes several calls. */
export const DecisionProgress = ({ decide: { progress } }: { readonly decide: Decide }): JSX.Element | null =>
  progress === undefined || progress.total <= 500 ? null : <ProgressLine progress={progress} label="Decided" />;
