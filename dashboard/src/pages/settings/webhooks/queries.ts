import { api, take } from "../../../api/client.ts";
import type { Delivery, Webhook } from "../../../api/types.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";
import { keepOneTimeKey, type OneTimeKey } from "../../../one-time-key.ts";
import { type Program, paramOf, useProgram } from "../../../session.tsx";
import { type Filters, settingsAddress } from "../../../url.ts";

export interface AboutWebhook {
  readonly of: Webhook;
  readonly onClose: () => void;
}

type InProgram = Pick<Program, "id">;

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
    ({ query }, init) =>
      take(api.programs[":programId"].webhooks[":webhookId"].deliveries.$get({ param, query }, init)),
    cursor === undefined ? { pollSeconds } : {},
  );
}

export const paramOfWebhook = (program: InProgram, { id }: Pick<Webhook, "id">) => ({
  ...paramOf(program),
  webhookId: String(id),
});

export const webhookQueryKeys = ({ id }: InProgram) => [`program ${id} webhooks`, `program ${id} audit`];

export const webhooksAddress = ({ id }: InProgram): string => settingsAddress(id, "webhooks");

export const showSecretOnce = (
  { id }: InProgram,
  { secret, url }: Pick<Webhook, "url"> & { readonly secret: string },
) => keepOneTimeKey({ programId: id, key: secret, about: url, kind: "webhook" } satisfies OneTimeKey);
