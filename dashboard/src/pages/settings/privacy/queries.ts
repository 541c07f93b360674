import type { InferResponseType } from "hono/client";
import { api, type ReceivedFile, send, take, takeFile } from "../../../api/client.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";
import { type Program, paramOf } from "../../../session.tsx";
import { addressWith, programAddress } from "../../../url.ts";

export type Person = { readonly customerKey: string } | { readonly email: string } | { readonly clickId: string };

const privacyApi = api.programs[":programId"].privacy;
const receiptApi = privacyApi.receipts[":receiptId"];
const requestApi = privacyApi.requests[":requestId"];

export type Receipt = NonNullable<Extract<InferResponseType<typeof receiptApi.$get>, { data: unknown }>["data"]>;

export const textOf = (person: Person): string => Object.values(person).join("");

export const privacyAddress = (program: Pick<Program, "id">, receipt?: string): string =>
  addressWith(programAddress(program.id, "settings"), { section: "privacy", receipt });

/**
 * Exports what is stored about a person. If that is too much for one response, the service creates an export request,
 * from which the file is then downloaded.
 */
export async function exportPerson(program: Program, person: Person): Promise<ReceivedFile> {
  const reply = await send(privacyApi.export.$post({ param: paramOf(program), json: person }));
  if (reply.status !== 202) return takeFile(Promise.resolve(reply));
  const { data } = (await reply.json()) as { readonly data: { readonly requestId: string } };
  return takeFile(requestApi.$get({ param: { ...paramOf(program), requestId: data.requestId } }));
}

/** Erases a person, and returns the receipt's id, also if an erasure is already in progress. */
export async function erasePerson(program: Program, person: Person): Promise<string> {
  const json = { ...person, confirm: true as const };
  const { data } = await take(privacyApi.erase.$post({ param: paramOf(program), json }));
  if ("receiptId" in data) return data.receiptId;
  const param = { ...paramOf(program), requestId: data.requestId };
  const request = await send(requestApi.$get({ param }));
  const { data: found } = (await request.json()) as { readonly data: { readonly receiptId: string } };
  return found.receiptId;
}

const pollSeconds = 2;

export function useReceipt(program: Program, receiptId: string) {
  const param = { ...paramOf(program), receiptId };
  return useProgramQuery(
    `receipt ${receiptId}`,
    {},
    async (_, init): Promise<Receipt> => (await take(receiptApi.$get({ param }, init))).data,
    { pollSeconds: ({ erasedAt }) => (erasedAt === null ? pollSeconds : undefined) },
  );
}
