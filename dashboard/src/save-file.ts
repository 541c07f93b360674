import type { ReceivedFile } from "./api/client.ts";

export function saveFile({ name, content }: ReceivedFile): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
