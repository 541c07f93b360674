import { earliest } from "#domain/calendar.ts";
import type { WebhookId } from "#domain/ids.ts";
import { maxOpenRetries } from "#domain/webhooks.ts";
import type { ActiveWebhook } from "#store/webhook-deliveries.ts";
import type { Clock } from "./attempt.ts";
import { maxOpen } from "./webhook-run.ts";

/** A webhook whose step fails is skipped for this time. */
const retryAfterFaultMs = 30_000;

type Work = Pick<ActiveWebhook, "id" | "cursor" | "newestSeq" | "replays" | "dueAt" | "openRetries" | "provedAt">;

export interface StepsParts<Webhook extends Work> {
  readonly clock: Clock;
  read(): Promise<readonly Webhook[]>;
  /**
   * Runs one limited step of a webhook, with up to `lanes` concurrent attempts. Returns the attempts still in progress.
   */
  step(webhook: Webhook, lanes: number): Promise<readonly Promise<void>[]>;
  onFault(webhook: Webhook, error: unknown): void;
}

/**
 * Sends the events of all webhooks of a program. Each webhook has its own steps, so that one that hangs or fails
 * doesn't delay the others.
 */
export class Steps<Webhook extends Work> {
  readonly #parts: StepsParts<Webhook>;
  readonly #active = new Map<WebhookId, Promise<void>>();
  readonly #underWay = new Map<WebhookId, Set<Promise<void>>>();
  readonly #heldUntil = new Map<WebhookId, number>();
  #look = Promise.withResolvers<void>();
  /** True if `look` was called since the last read of the webhooks began. */
  #isAsked = false;

  constructor(parts: StepsParts<Webhook>) {
    this.#parts = parts;
  }

  /** Makes `run` read the webhooks again, because there may be new events. */
  look(): void {
    this.#isAsked = true;
    this.#look.resolve();
  }

  /**
   * Runs steps until nothing is due, or until `end` (ms). Returns when the next event is due (ms). Undefined if there
   * is none.
   */
  async run(end: number): Promise<number | undefined> {
    const { clock, read } = this.#parts;
    while (clock.now() < end) {
      this.#look = Promise.withResolvers();
      this.#isAsked = false;
      const busy = [...this.#active.keys()];
      const webhooks = await read();
      // Skips webhooks whose step ended during the read: their data may be older than the results that the step stored.
      for (const webhook of webhooks) if (!busy.includes(webhook.id)) this.#begin(webhook);
      if (this.#isAsked || busy.some((id) => !this.#active.has(id))) continue;
      const next = this.#nextAt(webhooks);
      const underWay = [...this.#underWay.values()].flatMap((each) => [...each]);
      const open = [...this.#active.values(), ...underWay];
      if (open.length === 0) return next;
      await this.#until(next, open);
    }
    return clock.now();
  }

  /** Returns when (ms) the next retry is due, or a pause ends, among webhooks that could begin a step. */
  #nextAt(webhooks: readonly Webhook[]): number | undefined {
    const now = this.#parts.clock.now();
    const idle = webhooks.filter(({ id }) => !this.#active.has(id) && this.#lanesOf(id) > 0);
    return earliest(...idle.map(({ id, dueAt }) => this.#heldAt(id, now) ?? dueAt ?? undefined));
  }

  async #until(next: number | undefined, open: readonly Promise<void>[]): Promise<void> {
    const due = Promise.withResolvers<void>();
    const timer = next === undefined ? undefined : setTimeout(due.resolve, Math.max(0, next - this.#parts.clock.now()));
    await Promise.race([this.#look.promise, due.promise, ...open]);
    clearTimeout(timer);
  }

  #heldAt(id: WebhookId, now: number): number | undefined {
    const until = this.#heldUntil.get(id);
    // Ends the pause if its time is over, or if it is longer than possible because the clock was set back.
    if (until !== undefined && (until <= now || until > now + retryAfterFaultMs)) this.#heldUntil.delete(id);
    return this.#heldUntil.get(id);
  }

  #lanesOf(id: WebhookId): number {
    return maxOpen - (this.#underWay.get(id)?.size ?? 0);
  }

  #begin(webhook: Webhook): void {
    const { id } = webhook;
    const now = this.#parts.clock.now();
    if (this.#lanesOf(id) <= 0 || this.#heldAt(id, now) !== undefined || !hasWork(webhook, now)) return;
    this.#active.set(
      id,
      this.#step(webhook).finally(() => this.#active.delete(id)),
    );
  }

  async #step(webhook: Webhook): Promise<void> {
    try {
      const underWay = await this.#parts.step(webhook, this.#lanesOf(webhook.id));
      for (const each of underWay) this.#follow(webhook, each);
    } catch (error) {
      this.#hold(webhook, error);
    }
  }

  #follow(webhook: Webhook, attempt: Promise<void>): void {
    const own = this.#underWay.get(webhook.id) ?? new Set();
    this.#underWay.set(webhook.id, own);
    const followed = attempt.catch((error: unknown) => this.#hold(webhook, error)).finally(() => own.delete(followed));
    own.add(followed);
  }

  #hold(webhook: Webhook, error: unknown): void {
    this.#heldUntil.set(webhook.id, this.#parts.clock.now() + retryAfterFaultMs);
    this.#parts.onFault(webhook, error);
  }
}

const hasWork = ({ cursor, newestSeq, replays, dueAt, openRetries, provedAt }: Work, now: number): boolean =>
  (dueAt !== null && dueAt <= now) ||
  // A URL that has never answered 2xx gets only an example event, and no new one while one is waiting.
  (provedAt === null ? dueAt === null : replays.length > 0 || (cursor < newestSeq && openRetries < maxOpenRetries));
