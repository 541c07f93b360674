import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { mayActAs, type Role } from "#domain/role.ts";
import { api, sessionEnded, take } from "./api/client.ts";
import { useSignal } from "./api/signal.ts";
import { useAction } from "./api/use-action.ts";
import { type Query, useQuery } from "./api/use-query.ts";
import { base, signInAddress } from "./url.ts";

export const useSession = () =>
  useQuery("session", (signal) => take(api.auth["get-session"].$get({}, { init: { signal } })));

export type Session = NonNullable<ReturnType<typeof useSession>["data"]>;
export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly requireTwoFactor: boolean;
}

interface Workspaces {
  readonly own: readonly Workspace[];
  readonly mayCreate: boolean;
}

export const useWorkspaces = (): Query<Workspaces> =>
  useQuery("workspaces", async (signal) => {
    const { data: own, meta } = await take(api.workspaces.$get({}, { init: { signal } }));
    return { own, mayCreate: meta.mayCreate };
  });

export const useSignUpMode = () =>
  useQuery("sign-up mode", (signal) => take(api.auth["sign-up"].$get({}, { init: { signal } })));

/** The programs of a workspace, including archived ones. */
export const usePrograms = (workspaceId: string) =>
  useQuery(`programs of ${workspaceId}`, async (signal) => {
    const query = { workspaceId, archived: "true" } as const;
    return (await take(api.programs.$get({ query }, { init: { signal } }))).data;
  });

const readProgram = async (programId: string, signal: AbortSignal) =>
  (await take(api.programs[":programId"].$get({ param: { programId } }, { init: { signal } }))).data;

export const useProgramSettings = (programId: string) =>
  useQuery(`program ${programId} settings`, (signal) => readProgram(programId, signal));

export type Program = Awaited<ReturnType<typeof readProgram>>;

/** The program's id as a path parameter of the API. */
export const paramOf = ({ id }: Pick<Program, "id">) => ({ programId: String(id) });

interface InProgram {
  readonly program: Program;
  readonly workspace: Workspace;
  readonly userId: string;
}

export const ProgramContext = createContext<InProgram | undefined>(undefined);

/**
 * The page's program, and what the user's role allows. `mayChange` is for actions that an archived program refuses, so
 * it is also false if the program is archived.
 */
export function useProgram() {
  const found = useContext(ProgramContext);
  if (found === undefined) throw new Error("only the pages of a program know one");
  const { role } = found.workspace;
  const isArchived = found.program.status === "archived";
  const may = (needed: Role): boolean => mayActAs(role, needed);
  return { ...found, role, isArchived, may, mayChange: (needed: Role): boolean => !isArchived && may(needed) };
}

/** The session of a signed-in user. Redirects to the sign-in page when the session ends, and back afterwards. */
export function useSignedIn(): Query<Session | null> {
  const { url, route } = useLocation();
  const session = useSession();
  const isEnded = useSignal(sessionEnded);
  const isSignedOut = session.data === null || isEnded;
  useEffect(() => {
    if (isSignedOut) route(signInAddress(url), true);
  }, [isSignedOut]);
  return { ...session, data: isSignedOut ? undefined : session.data };
}

export const useSignOut = () => useAction(() => take(api.auth["sign-out"].$post({})), { onDone: leaveSignedOut });

/** Leaves the app for the identity provider. */
export const openUrl = ({ data }: { readonly data: { readonly url: string } }): void => location.assign(data.url);

/** Leaves the app for a newly loaded page, so that no data of the session stays in memory. */
export const leaveSignedOut = (): void => location.assign(`${base}sign-in`);
