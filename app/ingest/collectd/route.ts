import { receiveValueLists } from "@/lib/ingest/agents/protocols";
import { reportEndpoint } from "@/lib/ingest/endpoint";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = reportEndpoint("/ingest/collectd", receiveValueLists);
