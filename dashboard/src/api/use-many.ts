import { useEffect, useRef, useState } from "preact/hooks";
import { type Sender, type SendOptions, type Sent, sendRows } from "../../../importer/send.ts";
import type { Progress } from "../components/progress.tsx";
import { useProgram } from "../session.tsx";
import { refresh } from "./use-query.ts";

interface ManyOptions
  extends Pick<SendOptions, "rows" | "kind" | "source" | "send">,
    Partial<Pick<SendOptions, "update">> {
  /**
   * The result to report for rows that were changed by a call whose answer was lost. When that call is sent again, the
   * service reports these rows as unchanged.
   */
  readonly ifRepeated?: "created" | "updated";
}

/**
 * When a call is sent again because its answer was lost, reports the changes of the lost call instead of "unchanged".
 */
function rememberingLost(send: Sender, ifRepeated: ManyOptions["ifRepeated"]): Sender {
  const lost = new Set<number | undefined>();
  return async (call, signal) => {
    const [first] = call.rows;
    const answer = await send(call, signal);
    if (answer.is === "again" && answer.isBusy !== true) lost.add(first?.line);
    if (answer.is !== "answered" || ifRepeated === undefined || !lost.has(first?.line)) return answer;
    const rows = answer.rows.map((row) => (row.result === "unchanged" ? { ...row, result: ifRepeated } : row));
    return { is: "answered", rows };
  };
}

/**
 * Changes many rows in several calls. A call is sent again if its answer is lost. When the component is removed, no
 * further calls are sent, but rows that were already changed stay changed. `refreshes`: prefixes of the query keys to
 * read again. Default: all queries of the program.
 */
export function useMany(refreshes?: readonly string[]) {
  const { program } = useProgram();
  const [progress, setProgress] = useState<Progress>();
  const controller = useRef<AbortController | undefined>(undefined);
  const stop = () => controller.current?.abort();
  useEffect(() => stop, []);

  const run = async ({ ifRepeated, ...options }: ManyOptions, isDryRun = false): Promise<Sent> => {
    const own = new AbortController();
    controller.current = own;
    const total = options.rows.length;
    let done = 0;
    const tell = (isWaiting: boolean) => setProgress({ done, total, isWaiting });
    tell(false);
    const sent = await sendRows({
      update: false,
      ...options,
      send: isDryRun ? options.send : rememberingLost(options.send, ifRepeated),
      isDryRun,
      signal: own.signal,
      onProgress: (tally) => {
        done = tally.rows;
        tell(false);
      },
      onPause: () => tell(true),
    });
    setProgress(undefined);
    if (!isDryRun) refresh(...(refreshes ?? [`program ${program.id} `]));
    return sent;
  };
  return { run, stop, progress };
}
export type Many = ReturnType<typeof useMany>;
