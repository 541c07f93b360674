import { expect, test } from "vitest";
import { signedHeaders } from "#deliver/signature.ts";
import { startMailbox } from "../../scripts/service/mailbox.ts";

const secret = "signs what this mailbox receives";

async function mailbox() {
  const { hook } = await startMailbox(secret);
  const read = async (headers: Record<string, string> = { authorization: `Bearer ${secret}` }) => {
    const answer = await fetch(hook, { headers });
    return { status: answer.status, headers: answer.headers, html: await answer.text() };
  };
  return {
    read,
    async post(id: string, mail: object, { by = secret, at = Date.now() } = {}) {
      const body = JSON.stringify({
        template: "payout_paid",
        to: "ada@example.com",
        subject: "Paid",
        text: "",
        ...mail,
      });
      return (await fetch(hook, { method: "POST", body, headers: await signedHeaders({ id, body }, [by], at) })).status;
    },
  };
}

test("the development mailbox shows each email once, newest first, as text with clickable links", async () => {
  const { post, read } = await mailbox();
  expect((await read()).html).toContain("No mail yet");
  for (const id of ["mail_1", "mail_1"]) expect(await post(id, { subject: "The first" })).toBe(204);
  const text = 'Hello <script>alert(1)</script>,\n\nhttps://tributary.example/partner/#/?a=1&b="2"\n';
  expect(await post("mail_2", { subject: "The <b>second</b>", to: "a&b@example.com", text })).toBe(204);

  const { html, headers } = await read();
  expect(html.match(/<h2>.*?<\/h2>/g)).toEqual(["<h2>The &lt;b&gt;second&lt;/b&gt;</h2>", "<h2>The first</h2>"]);
  expect(html).toMatch(/To a&amp;b@example\.com, <time.*\(payout paid\)/);
  expect(html).toContain("Hello &lt;script&gt;alert(1)&lt;/script&gt;,\n\n");
  const link = "https://tributary.example/partner/#/?a=1&amp;b=";
  expect(html).toContain(`<a href="${link}">${link}</a>&quot;2&quot;\n`);
  expect(headers.get("content-security-policy")).toContain("default-src 'none'");
});

test("the mailbox accepts emails signed with its secret, and shows them only with its token", async () => {
  const { post, read } = await mailbox();
  expect(await post("mail_1", {}, { by: "another secret" })).toBe(401);
  expect(await post("mail_1", {}, { at: Date.now() - 600_000 })).toBe(401);
  expect((await read({})).status).toBe(401);
  expect((await read({ authorization: "Bearer another" })).status).toBe(401);
  expect((await read()).html).toContain("No mail yet");
});

test("the mailbox keeps the newest 200 emails", async () => {
  const { post, read } = await mailbox();
  for (let i = 0; i <= 200; i += 1) await post(`mail_${i}`, { subject: `Number ${i}.` });
  const { html } = await read();
  expect(html.match(/<article>/g)).toHaveLength(200);
  expect(html).not.toContain("Number 0.");
});
