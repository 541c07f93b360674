import { Tributary } from "tributary-sdk";
import { expect } from "vitest";
import type { ProcessorAnswer } from "../../sdk/src/processors/answers.ts";
import type { CheckoutMetadata } from "../../sdk/src/processors/keys.ts";
import type { FailureDetails } from "../../sdk/src/results.ts";
import { createTestClient, type TestClient, testFailure } from "../../sdk/src/testing.ts";
import { createProgramFixture, day } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

/** Opens a shop whose webhook reports to the service, with access to its rows. */
export async function openShop(setting: Parameters<typeof createProgramFixture>[0] = {}) {
  const shop = await createProgramFixture(setting);
  const { key, programId } = shop.world;
  const problems: string[] = [];
  const hear = ({ message }: { message: string }) => problems.push(message);
  const tributary = new Tributary({ apiKey: key, baseUrl: sharedService.url, onError: hear, onWarning: hear });
  const clickId = shop.click(shop.alice, Date.now() - 2 * day);
  const keys = { svc_customer_key: "user-1", svc_click_id: clickId, program_id: String(programId) };
  return {
    shop,
    tributary,
    problems,
    keys: keys satisfies CheckoutMetadata,
    /** Returns the stored result of each live sale. */
    async sales() {
      const rows = await shop.world.rows(
        `select transaction_id, s.amount_cents, s.currency, is_recurring, refunded_cents, c.amount_cents as commission
         from sales s join commissions c on c.sale_id = s.id where s.program_id = ? and s.is_test = 0 order by s.id`,
        programId,
      );
      return rows.map(({ transaction_id, amount_cents, currency, is_recurring, refunded_cents, commission }) => ({
        id: transaction_id,
        amount: amount_cents,
        currency,
        isRecurring: Boolean(is_recurring),
        refunded: refunded_cents,
        commission,
      }));
    },
  };
}

/**
 * Delivers each event twice, as processors may do. Returns the texts of the responses, and fails the test if a status
 * isn't 200.
 */
export async function deliverTwice<Event>(
  events: readonly Event[],
  deliver: (event: Event) => Promise<ProcessorAnswer>,
): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (const event of events.flatMap((each) => [each, each])) {
    const { status, body } = await deliver(event);
    bodies.push(status === 200 ? body : `${status} ${body}`);
  }
  return bodies;
}

/** Returns the response to an event, with the calls and problems that a test client recorded. */
export const answerWith =
  <Event>(handle: (event: Event, options: { readonly tributary: TestClient }) => Promise<ProcessorAnswer>) =>
  async (event: Event, tributary = createTestClient(), options: object = {}) => {
    const { status, body } = await handle(event, { ...options, tributary });
    const calls = tributary.calls.map(({ method, arguments: [input] }) => ({ method, ...input }));
    return { status, body, calls, problems: tributary.problems.map(({ message }) => message) };
  };

/** Returns the only call that an event causes. Fails the test if there is a problem. */
export const callWith =
  <Event>(answer: ReturnType<typeof answerWith<Event>>) =>
  async (event: Event, options = {}) => {
    const { status, calls, problems } = await answer(event, createTestClient(), options);
    expect({ status, problems }).toEqual({ status: 200, problems: [] });
    expect(calls).toHaveLength(1);
    return calls[0];
  };

/** Returns a call result with this refusal of the service. */
export const refusedWith = (status: number, message: string, details: FailureDetails = {}) => {
  const failure = testFailure(status, "NotFoundError", false);
  return async () => ({ ...failure, error: { ...failure.error, message, details } });
};
export const unknownSale = refusedWith(404, "Sale not found for transaction_id");
export const unknownSubscription = refusedWith(400, "unknown", { unknownSubscriptionId: true });
