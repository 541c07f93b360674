import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { withClient } from "../database/client.ts";
import type { Databases } from "../database/databases.ts";
import type { Database } from "../database/migrate.ts";
import { type AcrossOptions, auditAcross } from "./across.ts";
import { acrossRules } from "./across-rules.ts";
import { allRules, auditLedger, type Finding } from "./ledger.ts";
import { remedies } from "./meanings/meaning.ts";
import { meanings } from "./meanings/meanings.ts";

function described({ broken, rows, hasMore }: Finding): string {
  const cells = rows.map((row) => Object.entries(row).map(([name, value]) => `${name} ${value}`));
  const lines = cells.map((row) => `  ${row.join(", ")}`);
  return [`Wrong: ${broken}`, ...lines, ...(hasMore ? ["  … and more"] : []), ...explained(broken)].join("\n");
}

function explained(broken: string): readonly string[] {
  const [means, remedy] = meanings.get(broken) ?? [];
  return remedy === undefined ? [] : [`  Means: ${means}`, `  Do: ${remedies[remedy][1]}`];
}

export function printed(findings: readonly Finding[], good: string, checks: number): ExitCode {
  for (const finding of findings) console.log(`${described(finding)}\n`);
  console.log(
    findings.length === 0
      ? `${good}: ${checks === 1 ? "1 check" : `${checks} checks`}.`
      : `${findings.length} of ${checks === 1 ? "1 check fails" : `${checks} checks fail`}.`,
  );
  return findings.length === 0 ? exit.good : exit.refused;
}

/** Audits each database, and then applies the rules across databases. Prints the findings. */
export async function reportAudit(databases: Databases, options?: AcrossOptions): Promise<ExitCode> {
  const codes: ExitCode[] = [];
  const begunAt = await openMoves(databases[0]).catch(() => new Map<number, number>());
  for (const database of databases) {
    if (databases.length > 1) console.log(`Shard ${database.shard}`);
    codes.push(await reportBooks(database, begunAt));
  }
  codes.push(await reportAcross(databases, options));
  return codes.find((code) => code !== exit.good) ?? exit.good;
}

/** The start of each program's open migration, according to the home database. */
const openMoves = (atHome: Database): Promise<ReadonlyMap<number, number>> =>
  withClient(atHome, async (client) => {
    const { rows } = await client.execute("select program_id, started_at from program_moves where state = 'open'");
    return new Map(rows.map((row) => [Number(row.program_id), Number(row.started_at)]));
  });

const areMoving =
  "select id from programs where place in ('leaving', 'arriving') or (place = 'left' and leave_by is not null) order by id";

async function reportBooks({ url, authToken }: Database, begunAt: ReadonlyMap<number, number>): Promise<ExitCode> {
  try {
    // Reads integers as text, because sums of money may exceed the safe integers.
    const { moving, findings } = await withClient({ url, authToken, intMode: "string" }, async (client) => ({
      moving: (await client.execute(areMoving)).rows.map(({ id }) => Number(id)),
      findings: await auditLedger(client),
    }));
    if (moving.length > 0) console.log(`${describedMoves(moving, begunAt)}\n`);
    return printed(findings, "The books are right", allRules.length);
  } catch (error) {
    console.error(`The books of ${url} could not be read: ${error instanceof Error ? error.message : error}`);
    return exit.unreachable;
  }
}

function describedMoves(programs: readonly number[], begunAt: ReadonlyMap<number, number>): string {
  const [first] = programs.flatMap((id) => begunAt.get(id) ?? []).sort((a, b) => a - b);
  const began = first === undefined ? "" : ` began at ${new Date(first).toISOString()} and`;
  return programs.length === 1
    ? `Program ${programs.join()} wasn't audited here: its move to another shard${began} isn't finished.`
    : `Programs ${programs.join(", ")} weren't audited here: the first of their moves to another shard${began} isn't finished.`;
}

/**
 * Applies the rules across databases. For a service with one database, prints nothing about shards unless there is a
 * finding.
 */
export async function reportAcross(databases: Databases, options?: AcrossOptions): Promise<ExitCode> {
  try {
    const findings = await auditAcross(databases, options);
    if (findings.length === 0 && databases.length === 1) return exit.good;
    console.log(databases.length === 1 ? "Across home and its programs" : "Across the shards");
    return printed(findings, "All programs are in their place", Object.keys(acrossRules).length);
  } catch (error) {
    console.error(`The shards could not be compared: ${error instanceof Error ? error.message : error}`);
    return exit.unreachable;
  }
}
