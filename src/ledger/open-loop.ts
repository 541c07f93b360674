import type { ProgramId } from "#domain/ids.ts";
import { placeRefusal } from "#domain/program-place.ts";
import type { Alarm } from "#engine/alarm.ts";
import type { Duty } from "#engine/duty.ts";
import { Loop } from "#engine/loop.ts";
import type { LoopParts } from "#engine/parts.ts";
import { Unreachable } from "#engine/writer.ts";
import type { Context, KeepingContext, Settings } from "#operations/operation.ts";
import type { MovingContext } from "#operations/places/moving.ts";
import { loadOperation } from "#operations/table.ts";
import { DueApprovals } from "./due-approvals.ts";
import type { FencedWriter } from "./fenced-writer.ts";
import { Growth } from "./growth.ts";
import { HandOvers, type Neighbors } from "./hand-overs.ts";
import { isolatedTaskMaker } from "./isolated-write.ts";
import { KeptClicks } from "./kept-clicks.ts";
import { KeyUse } from "./key-use.ts";
import type { Retention, RetentionParts } from "./retention.ts";
import { SettingsCache } from "./settings-cache.ts";
import { Spill, type SpillStorage } from "./spill.ts";
import { erasures, moves } from "./stepwise.ts";
import { taskMaker } from "./task.ts";
import { TierWake } from "./tier-wake.ts";
import { UnknownCodes } from "./unknown-codes.ts";
import { VisitorKeys } from "./visitor-keys.ts";
import { WebhookWake, type WebhookWakeParts } from "./webhook-wake.ts";

const soonMs = 5_000;

interface LedgerParts
  extends Pick<LoopParts, "clock" | "outages" | "report" | "onRound" | "abort">,
    Pick<Context, "clickKeys" | "hashSecret" | "countUnsigned">,
    Partial<Pick<Context, "newId" | "postingAt">> {
  readonly writer: FencedWriter;
  readonly sql: SpillStorage;
  readonly alarm: Alarm;
  /** Creates a key of 256 random bits. */
  newKey(): string;
  readonly neighbors: Neighbors;
  readonly clickRetentionDays: number;
  /** Undefined for the default daily limits. */
  readonly growth?: Growth | undefined;
  /** Starts sending mails that are late. Undefined if there are no mails. */
  readonly tendMails?: Duty["run"] | undefined;
  /** Starts sending webhooks. Undefined if there are none. */
  readonly webhooks?: Pick<WebhookWakeParts, "wake" | "readLate"> | undefined;
}

/**
 * Builds the engine with the operations, settings and duties of this service. `newId` and `postingAt` are those of the
 * writer by default.
 */
export function openLoop(parts: LedgerParts) {
  const { writer, sql, clock, alarm, report, newKey, neighbors } = parts;
  const spill = new Spill(sql);
  const settings = new SettingsCache(spill, report);
  const onCreated = (expiresAt: number) => void alarm.arm(expiresAt);
  const visitorKeys = new VisitorKeys({ sql, clock, newKey, onCreated, report });
  const dutyParts = { clock, report, ringSoon: () => void alarm.arm(clock.now() + soonMs) };
  const [keyUse, unknownCodes] = [new KeyUse(dutyParts), new UnknownCodes(dutyParts)];
  const context = {
    settings,
    clickKeys: parts.clickKeys,
    hashSecret: parts.hashSecret,
    visitorKey: (programId, day) => visitorKeys.of(day, programId),
    adoptVisitorKeys: (programId, keys) => visitorKeys.adopt(programId, keys),
    keptClicksOf: (programId) => spill.countOf(programId),
    unholdClicks: (programId) => spill.unhold(programId),
    raiseIds: (floor) => writer.raiseIds(floor),
    raisePostings: (at) => writer.raisePostings(at),
    countUnsigned: parts.countUnsigned,
    countUnknownCode: (book, day, codeKey) => unknownCodes.count(book, day, codeKey),
    newId: parts.newId ?? ((table, count) => writer.newId(table, count)),
    postingAt: parts.postingAt ?? (() => writer.postingAt()),
  } satisfies MovingContext;
  const remembrance = remembered(settings, spill.settings);
  const isMoving = (programId: ProgramId) => placeRefusal(remembrance.program(programId)) !== undefined;
  const keeping: KeepingContext = {
    ...context,
    settings: remembrance,
    keepClick: (click) => spill.keep(click, isMoving(click.programId) || spill.mayHaveMoved(click.programId)),
  };
  const taskOf = taskMaker({ ...context, keyUse, growth: parts.growth ?? new Growth(), keeping, report });
  let mayBeRestored = false;
  const webhooks = parts.webhooks && new WebhookWake({ ...dutyParts, ...parts.webhooks, settings });
  const isolated = isolatedTaskMaker(taskOf, clock);
  const tiers = new TierWake({
    settings,
    ringSoon: dutyParts.ringSoon,
    load: async () => {
      const forgetSteps = settings.forgetSteps.bind(settings);
      const { TierSteps } = await import("./tier-steps.ts");
      return new TierSteps({ clock, database: writer, newId: context.newId, isolated, forgetSteps, report });
    },
  });
  const loop = new Loop({
    ...parts,
    onCommitted(programIds, isInternal) {
      tiers.onCommitted(programIds);
      webhooks?.onCommitted(programIds, isInternal);
    },
    async claim(retryForMs) {
      const { epoch, isContinued } = await writer.claim(spill.newestBatch, retryForMs);
      // Another writer may have changed the settings since the last claim.
      mayBeRestored ||= !isContinued;
      if (isContinued) settings.forgetDoubted();
      else settings.clear();
      if (mayBeRestored) await leaveMovedPrograms(writer, neighbors);
      mayBeRestored = false;
      try {
        spill.beginEpoch(epoch);
      } catch (error) {
        report("ledger.epoch_not_kept", error);
      }
    },
    // The duty for key use comes last, because it adds its writes only to rounds in which other duties or calls write.
    duties: [
      { name: "visitor keys", begin: () => visitorKeys.deleteExpired() },
      new KeptClicks(spill, context, dutyParts),
      new DueApprovals(context, dutyParts),
      moves(taskOf, clock),
      erasures(taskOf, clock),
      new HandOvers({
        clock,
        report,
        spill,
        visitorKeys,
        neighbors,
        postingAt: context.postingAt,
        taskOf: async (call) => taskOf(await loadOperation(call), call, clock.now()),
      }),
      { name: "mails", run: parts.tendMails },
      retentionDuty({ clock, isolated, database: writer, clickDays: parts.clickRetentionDays }),
      ...(webhooks === undefined ? [] : [webhooks]),
      tiers,
      unknownCodes,
      keyUse,
    ],
    isolated,
  });
  return { loop, taskOf, spill, visitorKeys };
}

function retentionDuty(parts: RetentionParts): Duty {
  let retention: Retention | undefined;
  return {
    name: "retention",
    async run(submit) {
      retention ??= new (await import("./retention.ts")).Retention(parts);
      return retention.run(submit);
    },
  };
}

/**
 * After a restore, the database may still have programs that were migrated to other shards after the backup was made.
 * They are marked as left, so that two shards never decide for the same program.
 */
async function leaveMovedPrograms(writer: FencedWriter, { own, movedPrograms }: Neighbors): Promise<void> {
  try {
    const elsewhere = (await movedPrograms()).filter(({ shard }) => shard !== own);
    if (elsewhere.length === 0) return;
    const { leaveAgain } = await import("#store/programs.ts");
    await writer.write(elsewhere.map(({ id, shard: to, moveId }) => leaveAgain({ id, to, moveId })));
  } catch (error) {
    writer.disown();
    throw new Unreachable("can't read which programs were migrated", { cause: error });
  }
}

/**
 * The settings that are used during a database outage: the cached ones, otherwise the copies in the object's storage.
 */
const remembered = (cached: Settings, kept: Settings): Settings => ({
  program: (id) => cached.program(id) ?? kept.program(id),
  link: (id) => cached.link(id) ?? kept.link(id),
  linkByCode: (code, programId) => cached.linkByCode(code, programId) ?? kept.linkByCode(code, programId),
  codeOwners: (code) => cached.codeOwners(code),
  policies: () => undefined,
  memberships: () => undefined,
  steps: () => undefined,
});
