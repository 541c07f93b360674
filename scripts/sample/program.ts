import { randomBytes } from "node:crypto";
import { dayMs } from "#domain/calendar.ts";
import { type ClickKeyRing, readClickId } from "#domain/click-id.ts";
import { addressDigests } from "#domain/email-digest.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { partnerInvitationToken } from "#domain/partner-access.ts";
import { noDetails } from "#domain/sale-type.ts";
import { sampleWebsiteUrl } from "#domain/sample-program.ts";
import { type SealingKeys, sealedDetails } from "#http/sealed-details.ts";
import type { TrustedCaller, VerifiedClick } from "#operations/operation.ts";
import { type AnswerTo, type AnyCall, loadOperation } from "#operations/table.ts";
import type { Statement } from "#store/statement.ts";
import { partnerEmail, partnerUserId } from "./demo-user.ts";
import type { EventOf, SampleEvent } from "./events.ts";
import { joinCallOf } from "./joining.ts";
import type { NodeLedger } from "./node-ledger.ts";
import { operationOf } from "./operation.ts";
import { reviewCallOf } from "./reviews.ts";
import { currency, joinedPartner, sampleName, timezone } from "./shop.ts";

export interface SampleProgramSettings extends SealingKeys {
  readonly workspaceId: string;
  /** The member who makes all changes. */
  readonly userId: string;
  readonly clickKeys: ClickKeyRing;
  readonly hashSecret: string;
}

type ChangeEvent = EventOf<
  | "program-created"
  | "window-set"
  | "payer-set"
  | "partner-created"
  | "partner-paused"
  | "policy-set"
  | "coupon-created"
  | "decision"
  | "held"
>;

/** A click id like one that a shop invents itself. */
const unknownClick = "unknown-click";

/** Sends the calls for the sample's events to the Ledger. */
export class SampleProgram {
  readonly #ledger: NodeLedger;
  readonly #settings: SampleProgramSettings;
  readonly #partners = new Map<string, number>();
  readonly #clickIds = new Map<string, string>();
  readonly #commissions = new Map<string, number>();
  readonly #waitingClicks: EventOf<"click">[] = [];
  #programId = 0;
  #calls = 0;

  constructor(ledger: NodeLedger, settings: SampleProgramSettings) {
    this.#ledger = ledger;
    this.#settings = settings;
  }

  /**
   * Processes an event. Clicks wait for the next call of another kind, so that they share a round (one batched commit)
   * with it.
   */
  async take(event: SampleEvent): Promise<void> {
    if (event.kind === "click") {
      this.#waitingClicks.push(event);
      return;
    }
    await this.sendClicks(event.at);
    switch (event.kind) {
      case "lead":
        await this.#lead(event);
        break;
      case "sale":
        await this.#sale(event);
        break;
      case "refund":
      case "refund-canceled":
        await this.#refund(event);
        break;
      case "join-page-saved":
      case "terms-published":
      case "applied":
        await this.#answer(joinCallOf(event, this.#changeAt(event.at)), event.at);
        break;
      case "partner-joined":
        await this.#join(event);
        break;
      case "details-set":
        await this.#setDetails(event);
        break;
      case "paid-out":
        await this.#payOut(event);
        break;
      default:
        await this.#change(event);
    }
  }

  async sendClicks(at: number): Promise<void> {
    await Promise.all(this.#waitingClicks.splice(0).map((event) => this.#click(event, at)));
  }

  async #click({ at, name, partner: code, visitor, visit }: EventOf<"click">, arrivedAt: number): Promise<void> {
    const unknown = { pageTitle: null, region: null, city: null };
    const call = {
      ...this.#callAt(at),
      kind: "click" as const,
      isTest: false,
      programId: this.#programId,
      code,
      codeParam: null,
      sub: null,
      key: undefined,
      occurredAt: at,
      eventId: null,
      existingClickId: null,
      isLimited: false,
      eventName: null,
      visit: { ...visit, ...unknown, visitorDigest: visitor, source: "browser" as const, isPrefetch: false },
    };
    const answer = await this.#answer(call, arrivedAt);
    if (answer.recorded) this.#clickIds.set(name, answer.clickId);
  }

  async #lead({ at, customer, by, clicks }: EventOf<"lead">): Promise<void> {
    const call = {
      ...this.#callAt(at),
      kind: "lead" as const,
      isTest: false,
      key: by === "key" ? this.#key : undefined,
      programId: this.#programId,
      clicks: clicks.map((name) => this.#verifiedClick(name)),
      sentClickId: clicks.length > 0,
      customerKey: customer,
      email: null,
      pageUrl: `${sampleWebsiteUrl}/account`,
      eventName: null,
      occurredAt: at,
    };
    await this.#answer(call, at);
  }

  async #sale(event: EventOf<"sale">): Promise<void> {
    const { at, customer, transaction, cents, product, subscription } = event;
    const call = {
      ...this.#callAt(at),
      kind: "sale" as const,
      isTest: false,
      key: this.#key,
      transactionId: transaction,
      amountCents: cents,
      currency: event.currency,
      customerKey: customer,
      clickId: event.hasInvalidClick === true ? unknownClick : null,
      clicks: [],
      sentClickId: event.hasInvalidClick === true,
      invalidClickIds: event.hasInvalidClick === true ? [unknownClick] : [],
      ...noDetails,
      couponCodes: event.coupons ?? [],
      ...(subscription && {
        saleType: "subscription" as const,
        isRecurring: subscription.isRenewal,
        subscriptionId: subscription.id,
        subscriptionInterval: "monthly" as const,
      }),
      productId: product ?? null,
      occurredAt: at,
      sentOccurredAt: false,
    };
    const { commissionId } = await this.#answer(call, at);
    this.#commissions.set(transaction, commissionId);
  }

  async #refund(event: EventOf<"refund" | "refund-canceled">): Promise<void> {
    const { at, transaction, refundId } = event;
    const cents = event.kind === "refund" ? (event.cents ?? null) : null;
    const asked = event.kind === "refund-canceled" ? "cancel" : cents === null ? "rest" : "amount";
    const call = {
      ...this.#callAt(at),
      kind: "refund" as const,
      isTest: false,
      key: this.#key,
      transactionId: transaction,
      refundId,
      asked,
      cents,
      chargeTotalCents: null,
      reason: event.kind === "refund" ? event.reason : null,
      occurredAt: at,
      sentOccurredAt: false,
    } as const;
    await this.#answer(call, at);
  }

  async #change(event: ChangeEvent): Promise<void> {
    const { at } = event;
    const common = this.#changeAt(at);
    switch (event.kind) {
      case "program-created":
        return this.#createProgram(at);
      case "window-set": {
        const changes = { attributionWindowDays: event.days };
        const call = { ...common, kind: "update-program", isOwner: true, changes } as const;
        return this.#answer(call, at);
      }
      case "payer-set": {
        const { name: payerName, iban: payerIban, bic: payerBic } = event.payer;
        const changes = { payerName, payerIban, payerBic };
        const call = { ...common, kind: "update-program", isOwner: true, changes } as const;
        return this.#answer(call, at);
      }
      case "partner-created": {
        const { name, code } = event;
        const partner = { name, code, email: null, externalId: null, destinationUrl: `${sampleWebsiteUrl}/` };
        const call = { ...common, ...partner, kind: "create-partner" } as const;
        this.#partners.set(code, (await this.#answer(call, at)).partnerId);
        return;
      }
      case "partner-paused": {
        const partnerId = this.#partnerId(event.code);
        const call = { ...common, kind: "update-partner", partnerId, changes: { status: "paused" } } as const;
        return this.#answer(call, at);
      }
      case "policy-set": {
        const partnerId = event.partner === undefined ? null : this.#partnerId(event.partner);
        const call = { ...common, kind: "set-policy", policy: { ...event.terms, partnerId } } as const;
        await this.#answer(call, at);
        return;
      }
      case "coupon-created": {
        const coupon = { codes: event.codes, partnerId: this.#partnerId(event.partner), status: "active" } as const;
        const call = { ...common, ...coupon, kind: "create-coupon", validFrom: null, validUntil: null } as const;
        await this.#answer(call, at);
        return;
      }
      case "decision":
      case "held": {
        const commissionId = required(this.#commissions.get(event.transaction), event.transaction);
        await this.#answer(reviewCallOf(event, commissionId, common), at);
        return;
      }
    }
  }

  async #join({ at, code }: EventOf<"partner-joined">): Promise<void> {
    const tokenHash = hashLinkToken(partnerInvitationToken(this.#programId, randomBytes(32).toString("base64url")));
    const invitations = [{ partnerId: this.#partnerId(code), tokenHash }] as const;
    const role = "manage";
    const invite = {
      ...this.#changeAt(at),
      kind: "invite-partners",
      role,
      expiresAt: at + dayMs,
      invitations,
    } as const;
    await this.#answer(invite, at);
    const by = { ...this.#changeAt(at), actorId: partnerUserId };
    const account = {
      address: addressDigests(this.#settings.hashSecret, partnerEmail),
      isMember: false,
      isInviterGone: false,
    };
    await this.#answer({ ...by, kind: "accept-partner-invitation", tokenHash, termsVersion: 1, ...account }, at);
  }

  async #setDetails({ at, code, details }: EventOf<"details-set">): Promise<void> {
    const isJoined = code === joinedPartner;
    const change = { ...this.#changeAt(at), ...(isJoined && { actorId: partnerUserId }) };
    const { programId, operationId } = change;
    const sealed = await sealedDetails(this.#settings, programId, operationId, details);
    const by = { partnerId: this.#partnerId(code), actsAs: isJoined ? "partner" : "owner" } as const;
    await this.#answer({ ...change, ...by, kind: "set-payment-details", sealed }, at);
  }

  async #payOut({ at, reference, failed }: EventOf<"paid-out">): Promise<void> {
    const all = { currency, until: null, minimumCents: null, partnerIds: null, reference, settledBy: null };
    const { payout } = await this.#answer({ ...this.#changeAt(at), kind: "create-payout", ...all }, at);
    const asked = { expectedTotalCents: null, includesChangedUntil: 0, restoreAcknowledged: null, isByOwner: true };
    const confirm = { ...this.#changeAt(at), kind: "confirm-payout", payoutId: payout.id, ...asked } as const;
    await this.#answer({ ...confirm, paidAt: null, note: null }, at);
    for (const { code, ...why } of failed) {
      const line = { partnerId: this.#partnerId(code) };
      await this.#answer({ ...this.#changeAt(at), kind: "fail-line", payoutId: payout.id, line, ...why }, at);
    }
  }

  async #createProgram(at: number): Promise<void> {
    const { workspaceId, userId: actorId } = this.#settings;
    const program = { workspaceId, name: sampleName, websiteUrl: sampleWebsiteUrl, currency, timezone };
    // The key isn't shown. An owner who needs a key creates a new one.
    const secret = randomBytes(32).toString("base64url");
    const operationId = operationOf("creation");
    const call = { kind: "create-program", operationId, at, actorId, secret, program } as const;
    this.#programId = (await this.#answer(call, at)).program.id;
  }

  get id(): number {
    return this.#programId;
  }

  /** The rows about the partner's account in the home database. No call of the Ledger writes them. */
  accountRows(now: number): readonly Statement[] {
    return [
      {
        sql: "insert into account_partners (account_id, program_id, partner_id, entered_at) values (?, ?, ?, ?) on conflict do nothing",
        args: [partnerUserId, this.#programId, this.#partnerId(joinedPartner), now],
      },
    ];
  }

  get #key(): TrustedCaller {
    return { programId: this.#programId, vouched: true };
  }

  #callAt(at: number) {
    this.#calls += 1;
    return { operationId: operationOf(`call ${this.#calls}`), at };
  }

  #changeAt(at: number) {
    return { ...this.#callAt(at), actorId: this.#settings.userId, programId: this.#programId };
  }

  #partnerId(code: string): number {
    return required(this.#partners.get(code), code);
  }

  #verifiedClick(name: string): VerifiedClick {
    const clickId = required(this.#clickIds.get(name), name);
    return { ...required(readClickId(this.#settings.clickKeys, clickId), name), clickId };
  }

  async #answer<Call extends AnyCall>(call: Call, arrivedAt: number): Promise<AnswerTo<Call>> {
    const task = this.#ledger.taskOf(await loadOperation(call), call, arrivedAt);
    const outcome = await this.#ledger.submit(task).outcome;
    if (!outcome.ok) {
      const { kind, at } = call;
      throw new Error(`a ${kind} of ${new Date(at).toISOString()} was refused: ${JSON.stringify(outcome.refusal)}`);
    }
    return outcome.answer;
  }
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`the sample has no ${name}`);
  return value;
}
