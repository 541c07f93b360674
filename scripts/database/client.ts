import { type Client, createClient } from "@libsql/client/http";

interface Address {
  readonly url: string;
  readonly authToken?: string | undefined;
}

/** Closed once it has been used. */
export async function withClient<T>({ url, authToken }: Address, use: (client: Client) => Promise<T>): Promise<T> {
  const client = createClient({ url, ...(authToken && { authToken }) });
  try {
    return await use(client);
  } finally {
    client.close();
  }
}
