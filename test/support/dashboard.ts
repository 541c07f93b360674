import { expect } from "vitest";
import type { Reply } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "./expect-ledger-consistent.ts";
import { type ProgramFixture, programFixture } from "./program-fixture.ts";
import { sharedApi } from "./shared-service.ts";
import type { FixtureUsers } from "./users-fixture.ts";

export interface Statistics {
  readonly testEventCount: number;
  readonly liveEventCount: number;
  readonly hasTestEvents: boolean;
  readonly latestTestEvent: { readonly id: number; readonly timestamp: string } | null;
  readonly latestLiveEvent: { readonly id: number; readonly timestamp: string } | null;
}

export interface StatusBody {
  readonly data: {
    readonly programId: number;
    readonly stepStatuses: Readonly<Record<"pageview" | "referrals" | "payments", "complete" | "pending">>;
    readonly statistics: Readonly<Record<"pageview" | "referrals" | "payments", Statistics>>;
    readonly hasPartners: boolean;
    readonly lastUpdated: string;
  };
}

export interface EventBody {
  readonly id: number;
  readonly event_type: "click" | "lead" | "sale" | "refund";
  readonly is_test: boolean;
  readonly timestamp: string;
  readonly click_id: string | null;
  readonly partnerCode: string | null;
  readonly [field: string]: unknown;
}

export interface EventsBody {
  readonly data: readonly EventBody[];
  readonly meta: {
    readonly pagination: {
      readonly page: number;
      readonly pageSize: number;
      readonly pageCount: number;
      readonly total: number;
      readonly nextCursor: string | null;
    };
  };
}

export interface PerformanceBody {
  readonly data: readonly ({ readonly date: string } & Readonly<Record<string, number>>)[];
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly meta: {
    readonly period: string;
    readonly dateFrom: string;
    readonly dateTo: string;
    readonly previousPeriod: { readonly dateFrom: string; readonly dateTo: string } | null;
    readonly currency: string;
    readonly otherCurrencies: readonly string[];
    readonly timezone: string;
  };
}

export interface PartnersBody {
  readonly data: readonly ({ readonly name: string; readonly code: string } & Readonly<Record<string, unknown>>)[];
  readonly meta: Omit<PerformanceBody["meta"], "previousPeriod"> & {
    readonly totals: Readonly<Record<string, number>>;
    readonly pagination: Omit<EventsBody["meta"]["pagination"], "nextCursor">;
  };
}

interface TopRow {
  readonly value: string | null;
  readonly clicks: number;
  readonly sales: number;
}

export interface OverviewBody {
  readonly data: {
    readonly commissions: readonly Readonly<Record<string, string | number>>[];
    readonly integrationVerified: boolean;
    readonly state: string;
    readonly lastClickAt: string | null;
    readonly clicksStopped: boolean;
  } & Readonly<Record<"landingPages" | "referrers" | "countries" | "devices", readonly TopRow[]>>;
  readonly meta: Readonly<Record<string, string | number | boolean | null>> & {
    readonly partner: { readonly id: number; readonly name: string } | null;
  };
}

export interface TestEventsBody {
  readonly success: true;
  readonly data: {
    readonly hasTestEvents: boolean;
    readonly eventCount: number;
    readonly eventsByType: Readonly<Record<"click" | "lead" | "sale", readonly EventBody[]>>;
    readonly latestTestEvent: Readonly<Record<string, unknown>> | null;
    readonly programId: number;
    readonly stepId: string | null;
  };
}

export interface ChainBody {
  readonly data: {
    readonly type: "chain";
    readonly short_code: string;
    readonly customer_key: string;
    readonly verdict: Readonly<Record<"click" | "lead" | "sale", string>>;
    readonly attributed: boolean;
    readonly steps: readonly {
      readonly name: string;
      readonly status: string;
      readonly http_status: number | null;
      readonly duration_ms: number;
      readonly message: string;
    }[];
  };
}

type Query = Readonly<Record<string, string | number>>;

export interface Dashboard {
  status(): Promise<Reply<StatusBody>>;
  events(query?: Query): Promise<Reply<EventsBody>>;
  performance(query?: Query): Promise<Reply<PerformanceBody>>;
  partners(query?: Query): Promise<Reply<PartnersBody>>;
  overview(query?: Query): Promise<Reply<OverviewBody>>;
  readiness(): Promise<Reply>;
  test(body?: { readonly event_type?: string }): Promise<Reply>;
  checkTestEvents(body?: { readonly step_id?: string; readonly since?: string }): Promise<Reply<TestEventsBody>>;
  runVerification(): Promise<Reply<ChainBody>>;
}

export function dashboardOf(user: User, programId: number): Dashboard {
  const path = (name: string, query: Query = {}, part = "") =>
    `/api/tracking/${name}/${programId}${part}?${new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]))}`;
  return {
    status: () => user.get(path("status")),
    events: (query) => user.get(path("events", query)),
    performance: (query) => user.get(path("performance", query)),
    partners: (query) => user.get(path("performance", query, "/partners")),
    overview: (query) => user.get(path("overview", query)),
    readiness: () => user.get(path("readiness")),
    test: (body) => user.post("/api/tracking/test", { program_id: programId, ...body }),
    checkTestEvents: (body) => user.post("/api/tracking/check-test-events", { program_id: programId, ...body }),
    runVerification: () => user.post(path("run-verification"), {}),
  };
}

/** Opens a program with calls to the dashboard's API as a viewer. Checks the ledger at the end of the test. */
export async function openDashboard(
  staff: FixtureUsers,
  settings: WorldSettings = {},
): Promise<ProgramFixture & Dashboard> {
  const world = await staff.world({ partners: [{}, {}], ...settings });
  expectConsistentInTheEnd(world);
  const viewed = dashboardOf(staff.viewer, world.programId);
  const { test, runVerification } = dashboardOf(staff.admin, world.programId);
  return { ...programFixture(world, sharedApi()), ...viewed, test, runVerification };
}

export async function shown<Body>(asked: Promise<Reply<Body>>): Promise<Body> {
  const { status, text, body } = await asked;
  expect(status, text).toBe(200);
  return body;
}
