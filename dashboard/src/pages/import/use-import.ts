import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Prepared, type Sent, sendRows } from "../../../../importer/index.ts";
import { importSender } from "../../api/bulk-sender.ts";
import { useProgram } from "../../session.tsx";
import type { Choices } from "./choices.ts";

type StageUnderWay = { readonly is: "checking" | "importing"; readonly done: number };
export type OverStage = { readonly is: "checked" | "imported"; readonly sent: Sent };
export type Stage = { readonly is: "ready" } | StageUnderWay | OverStage;

export const isUnderWay = (stage: Stage): stage is StageUnderWay => "done" in stage;
export const isOver = (stage: Stage): stage is OverStage => "sent" in stage;

/**
 * Checks and imports rows. With other rows or choices it starts over, and rows that were imported before stay imported.
 */
export function useImport(prepared: Prepared, { source, mayUpdate }: Choices) {
  const { program } = useProgram();
  const [stage, setStage] = useState<Stage>({ is: "ready" });
  const controller = useRef<AbortController | undefined>(undefined);
  const stop = () => controller.current?.abort();
  // A layout effect, because another effect would run a moment later and stop an import that was started meanwhile.
  useLayoutEffect(() => {
    setStage({ is: "ready" });
    return () => {
      stop();
      controller.current = undefined;
    };
  }, [prepared, source, mayUpdate]);

  const run = async (isDryRun: boolean): Promise<void> => {
    const own = new AbortController();
    controller.current = own;
    const isCurrent = () => controller.current === own;
    const is = isDryRun ? "checking" : "importing";
    setStage({ is, done: 0 });
    const sent = await sendRows({
      kind: prepared.kind,
      rows: prepared.rows,
      source: source.trim() || "Former program",
      update: mayUpdate,
      isDryRun,
      signal: own.signal,
      send: importSender(program),
      onProgress: (tally) => {
        if (isCurrent()) setStage({ is, done: tally.rows });
      },
    });
    if (isCurrent()) setStage({ is: isDryRun ? "checked" : "imported", sent });
  };
  return { stage, run, stop };
}
