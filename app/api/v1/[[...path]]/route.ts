import { endpoint } from "@/lib/api/endpoint";
import { NotFoundError } from "@/lib/failures";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint<never>(() => {
  throw new NotFoundError();
});
