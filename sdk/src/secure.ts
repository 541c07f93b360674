/** Whether nobody in between can read what is sent there: https, or this machine. */
export const isSecure = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || /^(.+\.)?localhost$|^127(\.\d+){3}$|^\[::1]$/.test(hostname);
