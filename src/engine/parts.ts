import type { Write } from "#store/statement.ts";
import type { Alarm } from "./alarm.ts";
import type { Duty } from "./duty.ts";
import type { OutageLog } from "./outage-log.ts";
import type { Task } from "./task.ts";
import type { Clock, Writer } from "./writer.ts";

export interface Reporter {
  report(event: string, error: unknown, id?: string): void;
  readonly onRound?: ((calls: number) => void) | undefined;
}

export interface LoopParts extends Reporter {
  readonly writer: Writer;
  /** Makes this instance the writer. */
  claim(retryForMs?: number): Promise<void>;
  readonly duties: readonly Duty[];
  /**
   * Creates a separate call with these writes. It is queued like any other call, and can fail without affecting others.
   */
  isolated(id: string, writesOf: () => readonly Write[]): Task;
  readonly clock: Clock;
  readonly alarm: Alarm;
  readonly outages: OutageLog;
  /**
   * Called when a commit is durable. `lineIds`: the programs of the calls that wrote. `isInternal`: duties wrote too.
   */
  readonly onCommitted?: ((lineIds: ReadonlySet<number>, isInternal: boolean) => void) | undefined;
  abort(reason: string): void;
}
