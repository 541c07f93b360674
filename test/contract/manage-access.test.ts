import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Json } from "../../harness/client.ts";
import { createSession, type Session } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { oneOfEach } from "../support/breadth.ts";
import { sharedService } from "../support/shared-service.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("suspended", "stranger");

type Role = "viewer" | "admin" | "owner";

interface Endpoint {
  readonly needs: Role;
  readonly method: "get" | "post" | "patch" | "put" | "delete";
  path(world: World): string;
  body?(world: World): Json;
  /** The status for a caller with the role. */
  readonly status: number;
  /** The status for the only owner, if it differs. */
  readonly statusOfOwner?: number;
}

const program = ({ programId }: World) => `/api/programs/${programId}`;
const members = ({ workspaceId }: World) => `/api/workspaces/${workspaceId}/members`;

const invitations = ({ workspaceId }: World) => `/api/workspaces/${workspaceId}/invitations`;

const endpoints: Readonly<Record<string, Endpoint>> = {
  listMembers: { needs: "viewer", method: "get", path: members, status: 200 },
  inviteMember: {
    needs: "owner",
    method: "post",
    path: members,
    body: () => ({ email: "new@people.example", role: "admin" }),
    status: 201,
  },
  updateMember: {
    needs: "owner",
    method: "patch",
    path: (world) => `${members(world)}/nobody`,
    body: () => ({ role: "admin" }),
    status: 404,
  },
  listInvitations: { needs: "owner", method: "get", path: invitations, status: 200 },
  revokeInvitation: {
    needs: "owner",
    method: "delete",
    path: (world) => `${invitations(world)}/none`,
    status: 404,
  },
  listWorkspaceAudit: {
    needs: "owner",
    method: "get",
    path: ({ workspaceId }) => `/api/workspaces/${workspaceId}/audit`,
    status: 200,
  },
  removeMember: { needs: "owner", method: "delete", path: (world) => `${members(world)}/nobody`, status: 404 },
  leaveWorkspace: {
    needs: "viewer",
    method: "delete",
    path: ({ workspaceId }) => `/api/workspaces/${workspaceId}/membership`,
    status: 200,
    statusOfOwner: 409,
  },
  createProgram: {
    needs: "admin",
    method: "post",
    path: () => "/api/programs",
    body: ({ workspaceId }) => ({ workspaceId, name: "Another" }),
    status: 201,
  },
  listPrograms: {
    needs: "viewer",
    method: "get",
    path: ({ workspaceId }) => `/api/programs?workspaceId=${workspaceId}`,
    status: 200,
  },
  getProgram: { needs: "viewer", method: "get", path: program, status: 200 },
  updateProgram: { needs: "admin", method: "patch", path: program, body: () => ({ name: "Renamed" }), status: 200 },
  rotateApiToken: {
    needs: "owner",
    method: "post",
    path: (world) => `${program(world)}/api-token/rotate`,
    body: () => ({}),
    status: 200,
  },
  createPartner: {
    needs: "admin",
    method: "post",
    path: (world) => `${program(world)}/partners`,
    body: () => ({ name: "Anna", code: `anna-${randomUUID()}` }),
    status: 201,
  },
  listPartners: { needs: "viewer", method: "get", path: (world) => `${program(world)}/partners`, status: 200 },
  getPartner: {
    needs: "viewer",
    method: "get",
    path: (world) => `${program(world)}/partners/${world.partner.id}`,
    status: 200,
  },
  updatePartner: {
    needs: "admin",
    method: "patch",
    path: (world) => `${program(world)}/partners/${world.partner.id}`,
    body: () => ({ status: "paused" }),
    status: 200,
  },
  listGroups: { needs: "viewer", method: "get", path: (world) => `${program(world)}/groups`, status: 200 },
  createGroup: {
    needs: "admin",
    method: "post",
    path: (world) => `${program(world)}/groups`,
    body: () => ({ name: randomUUID() }),
    status: 201,
  },
  updateGroup: {
    needs: "admin",
    method: "patch",
    path: (world) => `${program(world)}/groups/1`,
    body: () => ({ name: "Gold" }),
    status: 404,
  },
  addPartnersToGroup: {
    needs: "admin",
    method: "post",
    path: (world) => `${program(world)}/groups/1/partners`,
    body: (world) => ({ partnerIds: [world.partner.id] }),
    status: 404,
  },
  listPolicies: {
    needs: "viewer",
    method: "get",
    path: (world) => `${program(world)}/commission-policy`,
    status: 200,
  },
  setPolicy: {
    needs: "admin",
    method: "put",
    path: (world) => `${program(world)}/commission-policy`,
    body: () => ({ type: "percent", rateBps: 100, scope: "lifetime" }),
    status: 200,
  },
  listCommissions: { needs: "viewer", method: "get", path: (world) => `${program(world)}/commissions`, status: 200 },
  getCommissionTotals: {
    needs: "viewer",
    method: "get",
    path: (world) => `${program(world)}/commissions/totals`,
    status: 200,
  },
  getCommission: {
    needs: "viewer",
    method: "get",
    path: (world) => `${program(world)}/commissions/1`,
    status: 404,
  },
  listBalances: { needs: "viewer", method: "get", path: (world) => `${program(world)}/balances`, status: 200 },
  getStatement: {
    needs: "viewer",
    method: "get",
    path: (world) => `${program(world)}/partners/${world.partner.id}/statement`,
    status: 200,
  },
  createAdjustment: {
    needs: "admin",
    method: "post",
    path: (world) => `${program(world)}/partners/${world.partner.id}/adjustments`,
    body: () => ({ amountCents: 500, currency: "EUR", reason: "Bonus", reference: randomUUID() }),
    status: 201,
  },
  approveCommission: {
    needs: "admin",
    method: "post",
    path: (world) => `${program(world)}/commissions/1/approve`,
    body: () => ({}),
    status: 404,
  },
  rejectCommission: {
    needs: "admin",
    method: "post",
    path: (world) => `${program(world)}/commissions/1/reject`,
    body: () => ({ reason: "a self-referral" }),
    status: 404,
  },
  listAudit: { needs: "admin", method: "get", path: (world) => `${program(world)}/audit`, status: 200 },
};

const tables = ["program_keys", "partners", "commission_policies", "adjustments", "ledger_entries"];
const tablesOfWorkspace = ["memberships", "invitations", "programs", "workspace_audit_entries"];

/** Reads the tables one after the other: more than four concurrent reads would each open a database stream. */
async function everything({ programId, workspaceId, rows }: World): Promise<string> {
  const reads = [
    ...tablesOfWorkspace.map(
      (table) => [`select * from ${table} where workspace_id = ? order by id`, workspaceId] as const,
    ),
    ...tables.map((table) => [`select * from ${table} where program_id = ? order by id`, programId] as const),
  ];
  const found = [];
  for (const [sql, owner] of reads) found.push(await rows(sql, owner));
  return JSON.stringify(found);
}

const ask = (session: Session, { method, path, body }: Endpoint, world: World, headers = {}, over?: Json) => {
  const given = over ?? body?.(world);
  return method === "get" || method === "delete"
    ? session[method](path(world), { headers })
    : session[method](path(world), given, { headers });
};

const ranks = ["viewer", "admin", "owner"] as const;

// One endpoint of each kind, because test/http/guards.test.ts tests the guards of every endpoint.
const tried = oneOfEach(Object.entries(endpoints), ([, { method, needs }]) => `${needs} ${method === "get"}`);

describe.each(tried)("%s", (_name, endpoint) => {
  const isWrite = endpoint.method !== "get";

  test(`the endpoint requires the role ${endpoint.needs} or above`, async () => {
    const world = await people.world();
    for (const role of ranks) {
      const before = await everything(world);
      const reply = await ask(people[role], endpoint, world);
      if (ranks.indexOf(role) >= ranks.indexOf(endpoint.needs)) {
        const { status, statusOfOwner = status } = endpoint;
        expect(reply.status, reply.text).toBe(role === "owner" ? statusOfOwner : status);
        continue;
      }
      expect(refusalOf(reply)).toBe("403 Your role in this workspace does not allow this");
      expect(reply.body.error.details).toEqual({ needed: endpoint.needs });
      expect(await everything(world)).toBe(before);
    }
  });

  test("each management endpoint refuses callers without access in the documented order of checks, and changes nothing", async () => {
    const world = await people.world();
    const before = await everything(world);
    const faulty = isWrite ? { body: "faulty" } : undefined;
    const nobody = createSession(sharedService.url);
    const of = async (...given: Parameters<typeof ask>) => refusalOf(await ask(...given));

    expect(await of(nobody, endpoint, world, { origin: "https://evil.example" }, faulty)).toBe("401 Sign in first.");
    const withKey = { authorization: `Bearer ${world.key}` };
    expect(await of(nobody, endpoint, world, withKey)).toBe("401 Sign in first.");
    expect(await of(people.owner, endpoint, world, withKey)).toBe("401 Sign in first.");
    const elsewhere = { ...world, programId: 1_234_567, workspaceId: randomUUID() };
    if (isWrite) {
      const unsafe = /^403 Write requests need/;
      expect(await of(people.owner, endpoint, elsewhere, { origin: "https://evil.example" })).toMatch(unsafe);
      expect(await of(people.owner, endpoint, elsewhere, { origin: undefined })).toMatch(unsafe);
      expect(await of(people.stranger, endpoint, world, { "content-type": "text/plain" })).toMatch(unsafe);
    }
    expect(await of(people.owner, endpoint, elsewhere)).toMatch(/^404 (Program|Workspace) not found$/);
    for (const outsider of [people.stranger, people.suspended]) {
      expect(await of(outsider, endpoint, world)).toBe("403 You are not an active member of this workspace");
    }
    expect(await everything(world)).toBe(before);
  });
});

test("partners, members, programs and commissions of another workspace can't be accessed by an id in a path, a body or a query", async () => {
  const own = await people.world();
  const other = await people.world({ members: [{ user: people.stranger, role: "owner" }] });
  const [membership] = await other.rows("select id from memberships where workspace_id = ?", other.workspaceId);
  const before = await everything(other);
  const { owner } = people;
  const replies = [
    await owner.patch(`${program(own)}/partners/${other.partner.id}`, { status: "paused" }),
    await owner.put(`${program(own)}/commission-policy`, { type: "none", partnerId: other.partner.id }),
    await owner.post(`${program(own)}/partners/${other.partner.id}/adjustments`, {
      ...{ amountCents: 500, currency: "EUR", reason: "Bonus", reference: "r" },
    }),
    await owner.patch(`${members(own)}/${membership?.id}`, { role: "viewer" }),
    await owner.delete(`${members(own)}/${membership?.id}`),
    await owner.post("/api/programs", { workspaceId: other.workspaceId, name: "Mine" }),
    await owner.get(`/api/programs?workspaceId=${other.workspaceId}`),
  ];
  expect(replies.map(refusalOf)).toEqual([
    "404 Partner not found",
    "404 Partner not found",
    "404 Partner not found",
    "404 Member not found",
    "404 Member not found",
    "403 You are not an active member of this workspace",
    "403 You are not an active member of this workspace",
  ]);
  const { body } = await owner.get<{ data: [] }>(`${program(own)}/commissions?partnerId=${other.partner.id}`);
  expect(body.data).toEqual([]);
  expect(await everything(other)).toBe(before);
});

test.each(["0", "-1", "1.5", "abc", "9007199254740993", "1e3", "%20", "01"])(
  "a request with the invalid program id %s returns 404",
  async (id) => {
    expect(refusalOf(await people.owner.get(`/api/programs/${id}/partners`))).toBe("404 Program not found");
  },
);

test.each([
  ["PUT", "/api/workspaces", "GET, HEAD, POST"],
  ["DELETE", "/api/programs/1", "GET, HEAD, PATCH"],
  ["GET", "/api/programs/1/commissions/1/approve", "POST"],
])("%s %s returns 405 with the allowed methods", async (method, path, allow) => {
  const response = await fetch(sharedService.url + path, { method });
  expect(response.status).toBe(405);
  const allowed = (response.headers.get("Allow") ?? "").split(", ").toSorted().join(", ");
  expect(allowed).toBe(allow);
});
