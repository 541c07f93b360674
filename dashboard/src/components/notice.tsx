import type { ComponentChildren, JSX } from "preact";

interface NoticeProps {
  readonly look: "bad" | "warn" | "good" | "plain";
  readonly children: ComponentChildren;
}

export const Notice = ({ look, children }: NoticeProps): JSX.Element => (
  <div class={`notice ${look}`} role={look === "bad" ? "alert" : "status"}>
    {children}
  </div>
);
