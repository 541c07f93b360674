import { useEffect, useRef, useState } from "preact/hooks";
import { type SendOptions, type Sent, sendRows } from "../../../importer/index.ts";
import type { Progress } from "../components/progress.tsx";
import { refresh } from "./use-query.ts";

type ManyOptions = Pick<SendOptions, "rows" | "kind" | "source" | "send"> & Partial<Pick<SendOptions, "update">>;

/**
 * A change to many rows, in steps that rest. Each is sent again if its answer is lost. It ends with the component: the
 * steps that were sent stay.
 */
export function useMany(refreshes: readonly string[] = []) {
  const [progress, setProgress] = useState<Progress>();
  const controller = useRef<AbortController | undefined>(undefined);
  const stop = () => controller.current?.abort();
  useEffect(() => stop, []);

  const run = async (options: ManyOptions, isDryRun = false): Promise<Sent> => {
    const own = new AbortController();
    controller.current = own;
    const total = options.rows.length;
    let done = 0;
    const tell = (isWaiting: boolean) => setProgress({ done, total, isWaiting });
    tell(false);
    const sent = await sendRows({
      update: false,
      ...options,
      isDryRun,
      signal: own.signal,
      onProgress: (tally) => {
        done = tally.rows;
        tell(false);
      },
      onPause: () => tell(true),
    });
    setProgress(undefined);
    if (!isDryRun) refresh(...refreshes);
    return sent;
  };
  return { run, stop, progress };
}
export type Many = ReturnType<typeof useMany>;
