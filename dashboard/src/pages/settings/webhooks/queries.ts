import { api, take } from "../../../api/client.ts";
import type { Delivery, Webhook } from "../../../api/types.ts";
import { type ActionOptions, useAction } from "../../../api/use-action.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";
import type { Values } from "../../../components/form.tsx";
import { keepOneTimeKey, type OneTimeKey } from "../../../one-time-key.ts";
import { type Program, paramOf, useProgram } from "../../../session.tsx";
import { type Filters, settingsAddress } from "../../../url.ts";

export interface AboutWebhook {
  readonly of: Webhook;
  readonly onClose: () => void;
}

type InProgram = Pick<Program, "id">;

export const webhookApi = api.programs[":programId"].webhooks[":webhookId"];

const pollSeconds = 5;

export const useWebhooks = () =>
  useProgramQuery(
    "webhooks",
    {},
    async ({ param }, init) => (await take(api.programs[":programId"].webhooks.$get({ param }, init))).data,
    { pollSeconds },
  );

export const deliveryStatuses = ["waiting", "delivered", "failed"] as const satisfies readonly Delivery["status"][];

export function useDeliveries(of: Webhook, { status, cursor }: Filters) {
  const { program } = useProgram();
  const param = paramOfWebhook(program, of);
  const known = deliveryStatuses.find((each) => each === status);
  return useProgramQuery(
    `webhooks ${of.id} deliveries`,
    { ...(known && { status: known }), ...(cursor && { cursor }) },
    ({ query }, init) => take(webhookApi.deliveries.$get({ param, query }, init)),
    cursor === undefined ? { pollSeconds } : {},
  );
}

export const paramOfWebhook = (program: InProgram, { id }: Pick<Webhook, "id">) => ({
  ...paramOf(program),
  webhookId: String(id),
});

export const webhookQueryKeys = ({ id }: InProgram) => [`program ${id} webhooks`, `program ${id} audit`];

/** An action that changes a webhook, for a form in a dialog. */
export function useWebhookForm<Output>(
  of: Webhook,
  change: (param: ReturnType<typeof paramOfWebhook>, values: Values) => Promise<Output>,
  options: Pick<ActionOptions<Values, Output>, "done" | "onDone">,
) {
  const { program } = useProgram();
  return useAction((values: Values) => change(paramOfWebhook(program, of), values), {
    ...options,
    failsIn: "form",
    refreshes: webhookQueryKeys(program),
  });
}

export const webhooksAddress = ({ id }: InProgram): string => settingsAddress(id, "webhooks");

export const showSecretOnce = (
  { id }: InProgram,
  { secret, url }: Pick<Webhook, "url"> & { readonly secret: string },
) => keepOneTimeKey({ programId: id, key: secret, about: url, kind: "webhook" } satisfies OneTimeKey);
