import type { JSX } from "preact";
import type { Many } from "../../../api/use-many.ts";
import { Button } from "../../../components/button.tsx";
import { ProgressLine } from "../../../components/progress.tsx";

interface RunningProps {
  readonly many: Pick<Many, "progress" | "stop">;
  readonly label: string;
}

/** Progress of a running change, with a button that stops it. What was already done stays. */
export const Running = ({ many: { progress, stop }, label }: RunningProps): JSX.Element | null =>
  progress === undefined ? null : (
    <ProgressLine progress={progress} label={label}>
      <Button onClick={stop}>Stop</Button>
    </ProgressLine>
  );
