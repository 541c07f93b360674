import { api, take } from "../api/client.ts";
import { createSignal } from "../api/signal.ts";
import { useProgramQuery } from "../api/use-program-query.ts";
import { formatCount, formatScale } from "../format.ts";
import { livePrograms, rememberLive } from "../live-programs.ts";
import { type Program, useProgram } from "../session.tsx";

type Call = Parameters<(typeof api.programs)[":programId"]["to-do"]["$get"]>;
const read = async (...call: Call) => (await take(api.programs[":programId"]["to-do"].$get(...call))).data;

export type ToDo = Awaited<ReturnType<typeof read>>[number];

/** The to-do list of the current program. Also empty if it can't be read. */
export const toDo = createSignal<{ readonly programId: number; readonly items: readonly ToDo[] } | undefined>(
  undefined,
);

const pollSeconds = 60;

/** Reads the to-do list for the navigation and the pages and, if it isn't known yet, whether the program is live. */
export function useReadToDo(): void {
  const { program } = useProgram();
  const keep = (items: readonly ToDo[]) => toDo.set({ programId: program.id, items });
  useProgramQuery(
    "to-do",
    {},
    async ({ param }, init) => {
      if (!livePrograms.get().has(program.id)) {
        void take(api.tracking.readiness[":programId"].$get({ param }, init)).then(
          ({ state }) => rememberLive(program.id, state === "live_verified"),
          () => undefined,
        );
      }
      try {
        const items = await read({ param }, init);
        keep(items);
        return items;
      } catch (error) {
        if (toDo.get()?.programId !== program.id) keep([]);
        throw error;
      }
    },
    { pollSeconds },
  );
}

const kindsOf: Readonly<Record<string, readonly ToDo["kind"][]>> = {
  partners: ["applications", "claims", "bonuses"],
  commissions: ["held", "unconfirmed"],
  payouts: ["payable", "draft", "unpaid"],
  settings: ["webhooks"],
};

export const countText = (count: number, hasMore: boolean): string => `${formatCount(count)}${hasMore ? "+" : ""}`;

/**
 * The text beside a page's name in the navigation: the number of items that wait on the page. For payouts it is the
 * rounded amount in one currency, preferably the program's.
 */
export function waitingAt(path: string, items: readonly ToDo[], { currency }: Pick<Program, "currency">) {
  const found = items.filter(({ kind }) => kindsOf[path]?.includes(kind));
  if (found.length === 0) return undefined;
  const amounts = found.flatMap((item) => item.amounts);
  const [first] = amounts;
  if (path === "payouts" && first !== undefined) {
    const shown = amounts.some((each) => each.currency === currency) ? currency : first.currency;
    const cents = amounts.reduce((sum, each) => sum + (each.currency === shown ? each.cents : 0), 0);
    return formatScale(cents, shown);
  }
  const count = found.reduce((sum, each) => sum + each.count - each.heldToo, 0);
  return countText(
    count,
    found.some(({ hasMore }) => hasMore),
  );
}
