import { api, take } from "../../../api/client.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";

type Call = Parameters<(typeof api.programs)[":programId"]["bonuses"]["$get"]>;
const read = (...call: Call) => take(api.programs[":programId"].bonuses.$get(...call));

type Page = Awaited<ReturnType<typeof read>>;
type BonusPage = Extract<Page, { readonly meta: { readonly due: unknown } }>;
type DuePage = Exclude<Page, BonusPage>;

export type Bonus = BonusPage["data"][number];
export type DueBonus = DuePage["data"][number];

/** Within this time after a bonus is created, the service counts the sales of past periods. */
const countingMs = 120_000;

const isNew = ({ createdAt }: Bonus): boolean => Date.now() - Date.parse(createdAt) < countingMs;

/** A page of the program's bonuses, newest first, with the periods for which bonuses are due. */
export const useBonuses = (cursor: string | undefined) =>
  useProgramQuery("bonuses", { ...(cursor && { cursor }) }, async (...call) => (await read(...call)) as BonusPage, {
    pollSeconds: ({ data }) => (data.some(isNew) ? 5 : undefined),
  });

/** A page of the partners to whom bonuses are due for the period. */
export const useDueBonuses = (period: string, cursor: string | undefined) =>
  useProgramQuery(
    "bonuses due",
    { period, ...(cursor && { cursor }) },
    async (...call) => (await read(...call)) as DuePage,
  );

/** Query keys to read again after a bonus was created, ended or awarded. */
export const bonusQueryKeys = (programId: number): readonly string[] =>
  ["bonuses", "to-do", "balances", "audit"].map((name) => `program ${programId} ${name}`);
