/** Adds `https://` to an address that was typed without a scheme, such as `shop.example`. */
export const withScheme = <Text extends string | undefined>(address: Text): Text | `https://${string}` =>
  address === undefined || address === "" || /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`;
