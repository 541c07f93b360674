import { shop } from "../shop";

export async function POST(request: Request): Promise<Response> {
  const form = await request.formData();
  const id = crypto.randomUUID();
  const clickId = /^[\w-]{1,96}$/.exec(String(form.get("click_id")))?.[0] ?? "";
  // Takes two seconds at most, and a failure doesn't affect the sign-up: the sale sends the click id again.
  const lead = { customerExternalId: id, clickId, email: String(form.get("email")) };
  await shop().tributary.trackLead(lead, { timeoutMs: 2_000, retries: 0 });
  // A placeholder for your session and your database.
  const cookie = `customer=${id}.${clickId}; Path=/; HttpOnly; SameSite=Lax`;
  return new Response(null, { status: 303, headers: { location: "/", "set-cookie": cookie } });
}
