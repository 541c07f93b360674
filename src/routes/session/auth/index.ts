import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../../http/context.ts";
import { changePassword } from "./change-password.ts";
import { getSession } from "./get-session.ts";
import { getSignUp } from "./get-sign-up.ts";
import { listSessions } from "./list-sessions.ts";
import { resetPassword } from "./reset-password.ts";
import { revokeOtherSessions } from "./revoke-other-sessions.ts";
import { revokeSession } from "./revoke-session.ts";
import { signIn } from "./sign-in.ts";
import { signOut } from "./sign-out.ts";
import { signUp } from "./sign-up.ts";

const access = [getSignUp, signUp, signIn, signOut, resetPassword] as const;
const account = [getSession, listSessions, revokeSession, revokeOtherSessions, changePassword] as const;

export const auth = new OpenAPIHono<AppEnv>().openapiRoutes([...access, ...account] as const);
