"use client";

import { useClickId } from "tributary-sdk/react";

const programId = process.env.NEXT_PUBLIC_TRIBUTARY_PROGRAM_ID ?? "";
const src = `${process.env.NEXT_PUBLIC_TRIBUTARY_URL}/js/svc-tracker.js`;

export default function Page() {
  const clickId = useClickId(programId, { src });
  return (
    <main>
      <form method="post" action="/sign-up">
        <input name="email" type="email" required />
        <input name="click_id" type="hidden" value={clickId ?? ""} />
        <button type="submit">Sign up</button>
      </form>
      <form method="post" action="/checkout">
        <button type="submit">Subscribe</button>
      </form>
    </main>
  );
}
