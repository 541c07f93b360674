import { isDirect } from "#http/transport.ts";
import { isCalledHere } from "./local.ts";

export interface MailboxEnv {
  readonly MAILBOX?: Pick<Fetcher, "fetch">;
  readonly MAIL_HOOK_SECRET?: string;
}

/** Shows the emails that `npm start` has stored. Only this machine may read them, because their links give access. */
export async function answerMailbox(request: Request, env: MailboxEnv): Promise<Response | undefined> {
  const { MAILBOX: mailbox, MAIL_HOOK_SECRET: secret } = env;
  if (mailbox === undefined || new URL(request.url).pathname !== "/app/mail") return undefined;
  if (!isCalledHere(request) || !isDirect(request.headers)) {
    const headers = { "cache-control": "no-store", "content-type": "text/plain" };
    return new Response("This page is for the machine that the service runs on.\n", { status: 403, headers });
  }
  const { method } = request;
  const answer = await mailbox.fetch("http://mailbox/", { method, headers: { authorization: `Bearer ${secret}` } });
  return new Response(answer.body, answer);
}
