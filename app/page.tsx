export default function Page() {
  return <p>Console</p>;
}
