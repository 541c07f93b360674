import { describe, expect, test } from "vitest";
import type { LeadAnswer } from "#operations/track/lead.ts";
import { answers, key, programId, service } from "./service.ts";

const click = { affiliate_url: "https://shop.example/?aff=anna" };
const lead = { customer_key: "u1", program_id: 7 };
const sale = { transaction_id: "t1", amount_cents: 100, customer_key: "u1" };
const inTest = { additional_data: { test_mode: true } };
const test_mode = true;

describe("the response to a click", () => {
  test("the response to a click contains the click's id", async () => {
    const body = { success: true, click_id: "c1", partner_code: "anna", cookie_window_days: 60 };
    expect((await service().click(click)).body).toEqual(body);
  });

  test("the response to a click is 200 without an id if the link is inactive", async () => {
    const reply = await service({ click: { recorded: false, reason: "inactive" } }).click(click);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ success: false, message: "Referral link is inactive" });
  });

  test("the response to a click contains a message in test mode", async () => {
    const { click: send } = service({ click: { ...answers.click, partnerCode: undefined } });
    expect((await send({ ...inTest, program_id: 7 })).body).toEqual({
      success: true,
      message: "Test click event tracked successfully",
      data: { eventId: 3, programId, test_mode },
      click_id: "c1",
      cookie_window_days: 60,
    });
  });
});

describe("the response to a lead", () => {
  const attributed: LeadAnswer = answers.lead;
  const settled = { success: true, message: "Lead tracked successfully", attributed: true, partner_code: "anna" };
  const expired = {
    programId,
    leadId: 12,
    status: "unattributed",
    reason: "attribution_window_expired",
    clickAgeDays: 61,
    windowDays: 60,
    repeat: undefined,
  } as const;
  const unattributed = {
    ...{ success: true, message: "Lead recorded without attribution", attributed: false },
    ...{ reason: "attribution_window_expired", click_age_days: 61, window_days: 60 },
  };
  const provisional = { programId, leadId: 12, status: "provisional" } as const;
  const sales = [{ saleId: 1, commissionId: 2 }];

  test.each<[string, LeadAnswer, unknown]>([
    ["settled", attributed, { ...settled, lead_id: 12 }],
    ["known", { ...attributed, repeat: "duplicate" }, { ...settled, lead_id: 12, duplicate: true }],
    ["moved", { ...attributed, repeat: "moved" }, { ...settled, lead_id: 12, moved: true }],
    [
      "after sales",
      { ...attributed, attributedSales: sales },
      { ...settled, lead_id: 12, attributed_sales: [{ sale_id: 1, commission_id: 2 }] },
    ],
    ["too late", expired, { ...unattributed, lead_id: 12 }],
    ["too late again", { ...expired, repeat: "duplicate" }, { ...unattributed, lead_id: 12, duplicate: true }],
    [
      "without a click",
      { ...expired, reason: "no_click", clickAgeDays: undefined, windowDays: undefined },
      {
        success: true,
        message: "Lead recorded without attribution",
        attributed: false,
        lead_id: 12,
        reason: "no_click",
      },
    ],
  ])("the response to a lead has all fields for a server, if the lead is %s", async (_, answer, body) => {
    expect((await service({ lead: answer }).lead(lead, { key })).body).toEqual(body);
  });

  test.each<[string, LeadAnswer, unknown]>([
    ["settled", attributed, settled],
    ["known", { ...attributed, repeat: "duplicate" }, settled],
    ["moved", { ...attributed, repeat: "moved" }, settled],
    ["after sales", { ...attributed, attributedSales: sales }, settled],
    ["too late", { ...expired, repeat: "duplicate" }, unattributed],
  ])("the response to a lead has only the attribution for a browser, if the lead is %s", async (_, answer, body) => {
    expect((await service({ lead: answer }).lead(lead)).body).toEqual(body);
  });

  test("the response to a lead says that a provisional lead is provisional", async () => {
    expect((await service({ lead: provisional }).lead(lead)).body).toEqual({
      success: true,
      provisional: true,
      message:
        "Lead recorded as provisional. This program requires server-side (Bearer) lead tracking to settle attribution.",
    });
  });

  test.each<[string, LeadAnswer, object]>([
    ["settled", attributed, { attributed: true, partner_code: "anna" }],
    ["provisional", provisional, { provisional: true }],
  ])("the response to a lead has a message in test mode, if the lead is %s", async (_, answer, fields) => {
    expect((await service({ lead: answer }).lead({ ...lead, ...inTest })).body).toEqual({
      success: true,
      message: "Test lead event tracked successfully",
      data: { eventId: 12, programId, test_mode },
      ...fields,
    });
  });
});

describe("the response to a sale", () => {
  const { commission } = answers.sale;
  const due = {
    amount_cents: 980,
    currency: "USD",
    status: "pending",
    hold_until: "2026-03-16T00:00:00.000Z",
    unconfirmed: false,
    held: false,
  };
  const recorded = {
    ...{ success: true, message: "Sale tracked successfully" },
    ...{ sale_id: 71, commission_id: 72, is_recurring: false },
  };
  const nothing = {
    amountCents: 0,
    currency: "USD",
    status: "void",
    holdUntil: undefined,
    unconfirmed: false,
    held: false,
  } as const;
  const nothingDue = {
    amount_cents: 0,
    currency: "USD",
    status: "void",
    hold_until: null,
    unconfirmed: false,
    held: false,
  };

  test("the response to a sale contains the commission", async () => {
    const body = { ...recorded, attributed: true, partner_code: "anna", source: "click", commission: due };
    expect((await service().sale(sale)).body).toEqual(body);
  });

  test("the response to a sale names the partner even if no commission is due", async () => {
    const { sale: send } = service({ sale: { ...answers.sale, commission: { ...nothing, reason: "below_minimum" } } });
    expect((await send(sale)).body).toEqual({
      ...{ ...recorded, attributed: true, partner_code: "anna", source: "click", reason: "below_minimum" },
      commission: { ...nothingDue, reason: "below_minimum" },
    });
  });

  test("the response to a sale contains no partner if the sale is unattributed", async () => {
    const reason = "attribution_window_expired";
    const unattributed = {
      attributed: false,
      partnerCode: undefined,
      source: undefined,
      reason,
      clickAgeDays: 61,
      windowDays: 60,
    } as const;
    const { sale: send } = service({ sale: { ...answers.sale, ...unattributed, commission: { ...nothing, reason } } });
    expect((await send(sale)).body).toEqual({
      ...{ ...recorded, message: "Sale recorded without attribution", attributed: false, reason },
      ...{ click_age_days: 61, window_days: 60, commission: { ...nothingDue, reason } },
    });
  });

  test("the response to a sale contains a message in test mode", async () => {
    expect((await service().sale({ transaction_id: "t", ...inTest })).body).toEqual({
      ...{ ...recorded, message: "Test sale event tracked successfully", data: { eventId: 71, programId, test_mode } },
      ...{ attributed: true, partner_code: "anna", source: "click", commission: due },
    });
  });

  test.each([
    ["the same", [], true],
    ["different", ["amount_cents", "currency"], false],
  ])(
    "a sale sent again with the same transaction_id and %s values gets status 409 and the recorded sale",
    async (_, differences, same) => {
      const known = {
        saleId: 71,
        commissionId: 72,
        isRecurring: false,
        attributed: true,
        partnerCode: "anna",
        source: "click",
        commission,
      } as const;
      const reply = await service({ sale: { code: "duplicate_transaction", sale: known, differences } }).sale(sale);
      expect(reply.status).toBe(409);
      expect(reply.body).toEqual({
        data: null,
        error: {
          status: 409,
          name: "ConflictError",
          message: "Duplicate transaction_id. This sale has already been recorded.",
          details: {
            ...{
              sale_id: 71,
              commission_id: 72,
              is_recurring: false,
              attributed: true,
              partner_code: "anna",
              source: "click",
              commission: due,
            },
            ...{ same_request: same, differences },
          },
        },
      });
    },
  );

  test("the response to a sale contains no partner if an unattributed sale is sent again", async () => {
    const known = {
      saleId: 71,
      commissionId: 72,
      isRecurring: false,
      attributed: false,
      partnerCode: undefined,
      source: undefined,
      commission,
    };
    const reply = await service({ sale: { code: "duplicate_transaction", sale: known, differences: [] } }).sale(sale);
    expect(reply.body).toMatchObject({ error: { details: { attributed: false, partner_code: null } } });
  });
});

describe("the response to a refund", () => {
  const recorded = {
    ...{ success: true, sale_id: 71, commission_id: 72, refund_id: "re_1", refunded_cents: 4900 },
    ...{ refunded_total_cents: 4900, commission_reversed_cents: 980, commission_amount_cents: 0 },
  };

  test.each([
    ["reversed", undefined, "Commission reversed"],
    ["refunded", undefined, "Commission reduced"],
    ["no_commission", undefined, "Sale has no commission to reverse"],
    ["skipped", "duplicate refund_id", "Refund skipped"],
    ["skipped", "already reversed", "Refund skipped"],
    ["skipped", "already refunded", "Refund skipped"],
    ["restored", undefined, "Refund canceled"],
    ["restored", "one_time_used", "Refund canceled"],
    ["skipped", "older", "Refund skipped"],
    ["skipped", "canceled", "Refund skipped"],
  ] as const)("the response to a refund with status %s and reason %s says: %s", async (status, why, message) => {
    const { refund: send } = service({ refund: { ...answers.refund, status, reason: why } });
    const reason = why === undefined ? {} : { reason: why };
    expect((await send({ transaction_id: "t" })).body).toEqual({ ...recorded, message, status, ...reason });
  });

  test("the response to a refund contains calculated amounts in test mode, without storing the refund", async () => {
    const nothing = {
      eventId: undefined,
      refundId: null,
      status: "skipped",
      reason: "already reversed",
    } as const;
    const { refund: send } = service({ refund: { ...answers.refund, ...nothing } });
    expect((await send({ transaction_id: "t", ...inTest })).body).toEqual({
      ...{ ...recorded, message: "Test refund event tracked successfully", refund_id: null },
      ...{ data: { eventId: null, programId, test_mode }, status: "skipped", reason: "already reversed" },
    });
  });

  test.each([
    [{ code: "sale_not_found" }, 404, "NotFoundError", "Sale not found for transaction_id", {}],
    [
      { code: "refund_exceeds_sale", refundableCents: 7 },
      ...([
        400,
        "BadRequestError",
        "refund_amount_cents exceeds the amount left to refund",
        { refundable_cents: 7 },
      ] as const),
    ],
  ] as const)("a refund gets an error for the refusal %j", async (refusal, status, name, message, details) => {
    const reply = await service({ refund: refusal }).refund({ transaction_id: "t" });
    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({ data: null, error: { status, name, message, details } });
  });

  test("the response to a refund is a conflict if a refund with the same id but other values is already recorded", async () => {
    const reply = await service({ refund: { code: "refund_conflict", differences: ["refund_amount_cents"] } }).refund({
      transaction_id: "t",
    });
    expect(reply).toMatchObject({
      status: 409,
      body: { error: { details: { differences: ["refund_amount_cents"] } } },
    });
  });
});

test("the response to a click whose code exists in several programs says that program_id is missing, and nothing about the programs", async () => {
  const owners = [
    { programId: 41, hosts: ["a.example"], isElsewhere: false },
    { programId: 42, hosts: ["b.example"], isElsewhere: true },
  ];
  const reply = await service({ click: { code: "program_id_required", owners } }).click(click);
  const message = "program_id is required";
  const details = { errors: [{ path: ["program_id"], message, name: "ValidationError" }] };
  expect(reply.status).toBe(400);
  expect(reply.body).toEqual({ data: null, error: { status: 400, name: "BadRequestError", message, details } });
});

test.each([
  ["click", "link_not_found", "Referral link not found"],
  ["click", "program_not_found", "Program not found"],
  ["lead", "customer_not_found", "Customer not found. Provide a valid click_id or customer_key."],
  ["lead", "customer_of_another_program", "Customer does not belong to this program"],
  ["lead", "program_not_found", "Program not found"],
] as const)("the response to a %s is an error with status 400 for %s", async (event, code, message) => {
  const { [event]: send } = service({ [event]: { code } });
  const reply = await send({ ...click, ...lead });
  expect(reply.status).toBe(400);
  expect(reply.body).toEqual({ data: null, error: { status: 400, name: "BadRequestError", message, details: {} } });
});
