import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { meantBy } from "#doors/member/privacy.ts";
import { continueErasure } from "#operations/privacy/continue-erasure.ts";
import type { ErasePersonCall } from "#operations/privacy/erase-person.ts";
import type { PersonExported } from "#operations/privacy/export-person.ts";
import { readBatch } from "#store/database.ts";
import { personReads } from "#store/person.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { testSecrets } from "../../harness/service.ts";
import type { World } from "../../harness/world.ts";
import type { callsOf } from "./ledger-calls.ts";
import { daysAgo } from "./program-fixture.ts";

type Calls = ReturnType<typeof callsOf>;

/** Returns erasure calls to a Ledger without a runtime. They come a millisecond after the Ledger's other calls. */
export function erasingCallsOf(
  { programId, rows }: Pick<World, "programId" | "rows">,
  calls: Pick<Calls, "ledger">,
  databaseUrl = "",
) {
  const { ledger } = calls;
  const now = daysAgo(0);
  const eraseTask = (key: string | null, more: Partial<ErasePersonCall> = {}) =>
    ledger.changeTask(
      {
        ...{ kind: "erase-person", operationId: randomBytes(8).toString("hex"), at: now + 1, actorId: "owner" },
        ...{ programId, keys: key === null ? [] : [key], emailHash: null, clickId: null, digests: "[]" },
        ...more,
      } as const,
      now,
    );
  const opened = async () =>
    (await rows("select * from erasures where program_id = ? order by requested_at", programId)).at(-1);
  const meant = (asked: Parameters<typeof meantBy>[2]) => meantBy(testSecrets.HASH_SECRET, programId, asked);
  type Asked = Parameters<typeof meant>[0];
  return {
    eraseTask,
    /** Sends an erasure as a member would request it. */
    eraseBy: (asked: Asked, at = now + 1) => ledger.submit(eraseTask(null, { ...meant(asked), at })).outcome,
    async exportBy(asked: Asked) {
      const call = {
        ...{
          kind: "export-person" as const,
          operationId: randomBytes(8).toString("hex"),
          at: now + 1,
          actorId: "owner",
        },
        ...{ programId, ...meant(asked) },
      };
      const exported = await ledger.submit(ledger.changeTask(call, now)).outcome;
      if (!exported.ok) return exported.refusal.code;
      const reads = personReads((exported.answer as PersonExported).rows);
      return readBatch(databaseAt(databaseUrl), reads);
    },
    async erase(...asked: Parameters<typeof eraseTask>) {
      const erased = await ledger.submit(eraseTask(...asked)).outcome;
      expect(erased, ledger.faults.map(String).join()).toMatchObject({ ok: true });
    },
    /** Returns the newest erasure. */
    opened,
    async stepTask() {
      const erasureId = String((await opened())?.id);
      const operationId = `steps of ${erasureId}`;
      return ledger.taskOf(
        continueErasure,
        { kind: "continue-erasure", operationId, at: now + 2, programId, erasureId },
        now,
      );
    },
  };
}
