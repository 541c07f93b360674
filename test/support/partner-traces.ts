import { expect } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import type { Session, User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { partnerPath } from "./partner-side.ts";

/**
 * Has the user apply, become a partner, and enter every text that a partner can enter. Each text contains the mark in
 * lower case.
 */
export async function partnerWithTraces(world: World, admin: Session, user: User, mark: string) {
  const path = `/api/programs/${world.programId}`;
  const slug = `shop-${world.programId}`;
  const succeeds = async <Body>(sent: Promise<{ status: number; text: string; body: Body }>) => {
    const { status, text, body } = await sent;
    expect(status, text).toBeLessThan(300);
    return body;
  };
  const questions = [{ id: "where", label: "Where?", required: true }];
  await succeeds(
    admin.put(`${path}/join`, { mode: "approval", slug, headline: "Earn", description: "With us", questions }),
  );
  await succeeds(
    user.post(`/api/join/${slug}`, {
      ...{ name: `${mark} Blogs`, website: `https://${mark}.example`, answers: { where: `on ${mark}` } },
      termsVersion: null,
    }),
  );
  const applications = await succeeds(admin.get<{ data: { id: number }[] }>(`${path}/applications`));
  const approved = await succeeds(
    admin.post<{ data: { partnerId: number } }>(`${path}/applications/${applications.data[0]?.id}/approve`, {
      code: `code${world.programId}`,
    }),
  );
  const { partnerId } = approved.data;
  const side = partnerPath(world, partnerId);
  const { password } = user;
  await succeeds(user.patch(`${side}/profile`, { email: `${mark}@mail.example`, password }));
  await succeeds(user.patch(`${side}/profile`, { email: user.email, password }));
  const account = `${mark}@pay.example`;
  await succeeds(user.put(`${side}/payment`, { method: "paypal", account, holder: mark, password }));
  const day = dateUtc(Date.now());
  await succeeds(user.post(`${side}/claims`, { day, reference: mark, note: `Ask ${mark}` }));
  return { path, partnerId, side };
}
