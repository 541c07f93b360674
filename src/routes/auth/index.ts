import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../http/app-env.ts";
import { getSession } from "./get-session.ts";
import { signIn } from "./sign-in.ts";
import { signOut } from "./sign-out.ts";
import { signUp } from "./sign-up.ts";

/** The four of better-auth's endpoints that are open. */
export const auth = new OpenAPIHono<AppEnv>().openapiRoutes([signUp, signIn, signOut, getSession] as const);
