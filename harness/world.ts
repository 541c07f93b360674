import { randomBytes, randomUUID } from "node:crypto";
import type { LinkMaker } from "#domain/link-maker.ts";
import { firstKeyGrant, hashProgramKey, mintProgramKey } from "#domain/program-key.ts";
import { idsPerRange } from "#domain/shard.ts";
import { auditEntries } from "#store/schema/audit.ts";
import { memberships } from "#store/schema/members.ts";
import { groupMemberships, partnerGroups } from "#store/schema/partner-groups.ts";
import { partners, referralLinks } from "#store/schema/partners.ts";
import { foreignCodes, programPlaces } from "#store/schema/places.ts";
import { commissionPolicies } from "#store/schema/policies.ts";
import { programKeys, programs } from "#store/schema/programs.ts";
import { workspaces } from "#store/schema/workspaces.ts";
import { auditLedger, type Finding } from "../scripts/audit/ledger.ts";
import { type CouponSettings, couponsOf } from "./coupons.ts";
import {
  asStatement,
  type DatabaseClient,
  db,
  openDatabaseClient,
  type Row,
  type SentStatement,
} from "./database-client.ts";
import { databasesFor, type ProgramDatabases, TwoDatabases } from "./databases.ts";
import { ownId } from "./own-id.ts";

type ProgramSettings = Partial<Omit<typeof programs.$inferInsert, "id" | "workspaceId">>;
type PolicySettings = Partial<Omit<typeof commissionPolicies.$inferInsert, "id" | "programId">>;
type KeySettings = Partial<
  Pick<typeof programKeys.$inferInsert, "createdAt" | "retiresAt" | "name" | "scopes" | "book">
>;
export interface PartnerSettings {
  readonly name?: string;
  readonly code?: string;
  readonly status?: "active" | "paused";
  readonly linkStatus?: "active" | "paused";
  readonly destinationUrl?: string;
  readonly madeBy?: LinkMaker;
  readonly createdAt?: number;
  readonly policies?: readonly PolicySettings[];
  /** The index of the partner's group in the world. */
  readonly group?: number;
}

export interface GroupSettings {
  readonly name?: string;
  readonly policies?: readonly PolicySettings[];
}

export interface MemberSettings {
  readonly user: { readonly userId: string };
  readonly role: "owner" | "admin" | "viewer";
  readonly status?: "active" | "suspended";
}

export interface WorldSettings {
  /** The program's id. The default is random. */
  readonly programId?: number;
  readonly members?: readonly MemberSettings[];
  readonly program?: ProgramSettings;
  /** The program's keys. The default is one active key. */
  readonly keys?: readonly KeySettings[];
  readonly partners?: readonly PartnerSettings[];
  readonly groups?: readonly GroupSettings[];
  readonly coupons?: readonly CouponSettings[];
  /** The program's own policies, oldest first. The default is 20 percent for a lifetime, held for 15 days. */
  readonly policies?: readonly PolicySettings[];
}

export interface Partner {
  readonly id: number;
  readonly linkId: number;
  readonly code: string;
  readonly landingUrl: string;
}

export interface World {
  readonly databases: ProgramDatabases;
  readonly workspaceId: string;
  readonly programId: number;
  readonly key: string;
  readonly keys: readonly string[];
  readonly partner: Partner;
  readonly partners: readonly Partner[];
  readonly groups: readonly { readonly id: number; readonly name: string }[];
  readonly coupons: readonly { readonly id: number; readonly partnerId: number }[];
  rows(sql: string, ...args: (string | number | null)[]): Promise<Row[]>;
  /** Runs several queries in one request. Each has the program's id as its argument. */
  allRows<Name extends string>(queries: Readonly<Record<Name, string>>): Promise<Record<Name, Row[]>>;
  audit(): Promise<Finding[]>;
  /** Rules of the audit that the test breaks on purpose. The audit must report them. */
  readonly forged: Set<string>;
  write(...statements: SentStatement[]): Promise<void>;
  /**
   * Writes to the database and makes the Ledger reload its settings. That interrupts all tests of the same service, so
   * use it only on an isolated one.
   */
  change(...statements: SentStatement[]): Promise<void>;
}

/** A time earlier than any that a call may send. */
const longAgo = () => Date.now() - 500 * 24 * 3_600_000;

/** Creates a world. `databases` is the home database's URL, or an object that also has the program's database. */
export async function createWorld(databases: string | ProgramDatabases, settings: WorldSettings = {}): Promise<World> {
  for (;;) {
    try {
      return await makeWorld(databases, settings);
    } catch (error) {
      // Tries again if two random ids of a run are the same.
      if (!(error instanceof Error && /UNIQUE constraint failed: \w+\.id\b/.test(error.message))) throw error;
    }
  }
}

async function makeWorld(databases: string | ProgramDatabases, settings: WorldSettings): Promise<World> {
  const placed = typeof databases === "string" ? databasesFor(databases) : databases;
  const both = new TwoDatabases(placed);
  const client = both.books;
  const workspaceId = randomUUID();
  const newId = () => placed.shard * idsPerRange + ownId();
  const programId = settings.programId ?? newId();
  const since = longAgo();

  const keys = (settings.keys ?? [{}]).map((key) => keyRow(programId, { createdAt: since, ...key }, newId));
  const groups = (settings.groups ?? []).map((group) => groupRow(programId, group, since, newId));
  const made = (settings.partners ?? [{}]).map((partner) => partnerRows(programId, partner, since, newId));
  const coupons = couponsOf(settings.coupons ?? [], since, { programId, partners: made, newId });
  const policies = policyRows(programId, settings.policies ?? [{}], { made, groups, since, newId });

  const workspace = { id: workspaceId, name: "Test workspace", createdAt: since };
  const home = entriesAtHome(workspace, {
    members: settings.members ?? [],
    ...(placed.url !== placed.homeUrl && {
      program: { id: programId, shard: placed.shard, websiteUrl: settings.program?.websiteUrl ?? defaultWebsite },
      links: made.map(({ link }) => link),
    }),
  });
  const books = [
    db.insert(workspaces).values(workspace).onConflictDoNothing(),
    db.insert(programs).values({ ...defaultProgram(since), ...settings.program, id: programId, workspaceId }),
    ...keys.map(({ row }) => db.insert(programKeys).values(row)),
    ...made.map(({ partner }) => db.insert(partners).values(partner)),
    ...made.map(({ link }) => db.insert(referralLinks).values(link)),
    ...groups.map(({ row }) => db.insert(partnerGroups).values(row)),
    ...made.flatMap((each) => createdIn(groups[each.group ?? -1]?.row, each.partner, each.link, newId)),
    ...coupons.flatMap(({ inserts }) => inserts),
    ...policies.map((policy) => db.insert(commissionPolicies).values(policy)),
  ].map(asStatement);
  if (both.atHome === client) await write(client, [...home, ...books]);
  else {
    await write(both.atHome, home);
    await write(client, books);
  }

  const all = made.map(({ partner, link }) => ({
    id: partner.id,
    linkId: link.id,
    code: link.code,
    landingUrl: `https://shop.example/?aff=${link.code}`,
  }));
  return {
    databases: placed,
    workspaceId,
    programId,
    get key() {
      return first(keys, "key").text;
    },
    keys: keys.map(({ text }) => text),
    get partner() {
      return first(all, "partner");
    },
    partners: all,
    groups: groups.map(({ row }) => row),
    coupons: coupons.map(({ row }) => row),
    ...readerOf(both, programId),
    forged: new Set(),
    write: async (...statements) => {
      for (const [database, own] of Map.groupBy(statements, (statement) => both.of(statement)))
        await write(database, own);
    },
    change: (...statements) => write(client, [...statements, "update ledger_writers set epoch = epoch + 1, seq = 0"]),
  };
}

interface AtHome {
  readonly members: readonly MemberSettings[];
  /** The program and its shard. Undefined if the program is on the home shard. */
  readonly program?: { readonly id: number; readonly shard: number; readonly websiteUrl: string | null };
  readonly links?: readonly { readonly codeKey: string; readonly destinationUrl: string | null }[];
}

/** The rows about a program in the home database: its members and, if it is on another shard, its place. */
function entriesAtHome(
  workspace: { readonly id: string; readonly name: string; readonly createdAt: number },
  { members, program, links = [] }: AtHome,
): SentStatement[] {
  const inserts = [
    db.insert(workspaces).values(workspace),
    ...members.map((member) => db.insert(memberships).values(membershipRow(workspace.id, member))),
  ];
  const places =
    program === undefined
      ? []
      : [
          db.insert(programPlaces).values({
            programId: program.id,
            workspaceId: workspace.id,
            shard: program.shard,
            websiteUrl: program.websiteUrl,
            createdAt: workspace.createdAt,
          }),
          ...links.map(({ codeKey, destinationUrl }) =>
            db.insert(foreignCodes).values({ codeKey, programId: program.id, destinationUrl }),
          ),
        ];
  return [...inserts, ...places].map(asStatement);
}

function readerOf(both: TwoDatabases, programId: number): Pick<World, "rows" | "allRows" | "audit"> {
  return {
    rows: async (sql, ...args) => (await both.of(sql).execute({ sql, args })).rows,
    allRows: async <Name extends string>(queries: Readonly<Record<Name, string>>) => {
      const names = Object.keys(queries) as Name[];
      const results = await both.books.batch(
        names.map((name) => ({ sql: queries[name], args: [programId] })),
        "read",
      );
      return Object.fromEntries(names.map((name, i) => [name, results[i]?.rows ?? []])) as Record<Name, Row[]>;
    },
    audit: () => auditLedger(both.books, { programId }),
  };
}

export async function addMember(databaseUrl: string, workspaceId: string, member: MemberSettings): Promise<void> {
  const insert = db.insert(memberships).values(membershipRow(workspaceId, member));
  await write(openDatabaseClient(databaseUrl), [asStatement(insert)]);
}

function keyRow(programId: number, settings: KeySettings & { readonly createdAt: number }, newId: () => number) {
  const text = mintProgramKey(programId, randomBytes(32));
  const row = { id: newId(), programId, ...firstKeyGrant, hash: hashProgramKey(text), lastFour: text.slice(-4) };
  return { text, row: { ...row, ...settings } };
}

function partnerRows(programId: number, settings: PartnerSettings, since: number, newId: () => number) {
  const partnerId = newId();
  const { code = `P${randomBytes(6).toString("hex")}`, status = "active", createdAt = since } = settings;
  return {
    partner: { id: partnerId, programId, name: settings.name ?? `Partner ${code}`, status, createdAt },
    link: {
      id: newId(),
      programId,
      partnerId,
      code,
      codeKey: code.toLowerCase(),
      destinationUrl: settings.destinationUrl ?? null,
      madeBy: settings.madeBy ?? ("owner" as const),
      status: settings.linkStatus ?? ("active" as const),
      createdAt,
    },
    policies: settings.policies ?? [],
    group: settings.group,
  };
}

/** A partner's membership in its first group, with the entry in the audit trail that the audit expects. */
function createdIn(
  group: { readonly id: number } | undefined,
  {
    id: partnerId,
    programId,
    createdAt,
  }: { readonly id: number; readonly programId: number; readonly createdAt: number },
  { code }: { readonly code: string },
  newId: () => number,
) {
  if (group === undefined) return [];
  const operationId = randomBytes(8).toString("hex");
  const after = JSON.stringify({ partnerId, code, groupId: group.id });
  const entry = { action: "partner.created", subject: `partner ${partnerId}`, before: null, after };
  return [
    db.insert(groupMemberships).values({ programId, partnerId, groupId: group.id, effectiveFrom: 0, operationId }),
    db.insert(auditEntries).values({ id: newId(), programId, operationId, actorId: "somebody", ...entry, createdAt }),
  ];
}

interface PolicyOwners {
  readonly made: readonly ReturnType<typeof partnerRows>[];
  readonly groups: readonly ReturnType<typeof groupRow>[];
  readonly since: number;
  newId(): number;
}

/** The rows of the program's own policies, and of those of partners and groups. */
const policyRows = (programId: number, own: readonly PolicySettings[], { made, groups, since, newId }: PolicyOwners) =>
  [
    ...own.map((policy) => ({ partnerId: null, ...policy })),
    ...made.flatMap(({ partner, policies }) => policies.map((policy) => ({ partnerId: partner.id, ...policy }))),
    ...groups.flatMap(({ row, policies }) => policies.map((policy) => ({ groupId: row.id, ...policy }))),
  ].map((policy, i) => ({ ...defaultPolicy(since, policy), version: i + 1, ...policy, id: newId(), programId }));

function groupRow(programId: number, { name, policies = [] }: GroupSettings, createdAt: number, newId: () => number) {
  const id = newId();
  return { row: { id, programId, name: name ?? `Group ${id}`, createdAt }, policies };
}

const membershipRow = (workspaceId: string, { user, role, status = "active" }: MemberSettings) => ({
  id: randomUUID(),
  workspaceId,
  userId: user.userId,
  role,
  status,
  createdAt: Date.now(),
});

const defaultWebsite = "https://shop.example";

const defaultProgram = (createdAt: number) => ({
  name: "Test program",
  websiteUrl: defaultWebsite,
  currency: "EUR",
  timezone: "UTC",
  leadAuth: "browser_allowed" as const,
  attributionModel: "last_click" as const,
  attributionWindowDays: 60,
  payoutMode: "manual" as const,
  status: "active" as const,
  createdAt,
});

const defaultPolicy = (effectiveFrom: number, { type = "percent" }: PolicySettings) => ({
  type,
  rateBps: type === "percent" ? 2_000 : null,
  scope: "lifetime" as const,
  holdDays: 15,
  effectiveFrom,
  createdAt: effectiveFrom,
});

function first<T>(list: readonly T[], what: string): T {
  const [item] = list;
  if (item === undefined) throw new Error(`this world was made without a ${what}`);
  return item;
}

/** Writes in one transaction. Waits for a lock that the Ledger holds. */
async function write(client: DatabaseClient, statements: readonly SentStatement[]): Promise<void> {
  if (statements.length > 0) await client.batch(statements, "write");
}
