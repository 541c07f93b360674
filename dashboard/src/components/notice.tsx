import type { ComponentChildren, JSX } from "preact";

interface NoticeProps {
  readonly look: "bad" | "warn" | "good" | "plain";
  readonly children: ComponentChildren;
}

/** Something to know, where it matters. What is bad is read out at once. */
export const Notice = ({ look, children }: NoticeProps): JSX.Element => (
  <div class={`notice ${look}`} role={look === "bad" ? "alert" : "status"}>
    {children}
  </div>
);
