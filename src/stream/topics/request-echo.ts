/** The echo is an object of clip_size_type, clip_size_val and params; its members join the order's or leg's own. */
export function echoedMembers(requestEcho: string): string {
  const members = requestEcho.slice(1, -1);
  return members === '' ? '' : `,${members}`;
}
