#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <assay/certify/collect.hpp>
#include <assay/certify/sample_certificate.hpp>

// Holds the published schema against certificates as they are written.
namespace assay::certify {
namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

class CertificateSchema {
 public:
  CertificateSchema() {
    std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/schemas/certificate.schema.json");
    EXPECT_TRUE(file.good());
    text_ = json::parse(file);
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(NlohmannJsonAdapter(text_), schema_);
  }
  bool accepts(const json& document) const {
    valijson::Validator validator;
    return validator.validate(schema_, NlohmannJsonAdapter(document), nullptr);
  }

 private:
  json text_;
  valijson::Schema schema_;
};

// Its seeds are below 2^63: valijson reads integers as signed.
json as_signed(const Files& files) {
  json document = json::parse(files.at(std::string(kCertificateFile)));
  for (const char* session : {"sweep", "confirmation"}) {
    if (document[session].is_object()) {
      document[session]["seed"] = 7;
    }
  }
  return document;
}

TEST(CertificateSchema, AcceptsWhatIsWritten) {
  const CertificateSchema schema;
  EXPECT_TRUE(schema.accepts(as_signed(testing::sample_files())));
  control::testing::Laboratory laboratory(testing::sample_configuration());
  testing::run_beside_another(laboratory);
  const auto unconfirmed = collect(laboratory.archive(), "scale-search", 1);
  ASSERT_TRUE(unconfirmed) << unconfirmed.error().text();
  EXPECT_TRUE(schema.accepts(as_signed(*unconfirmed)));
}

// Every object is closed and every field required, but for what names itself: environments, parameters, plans, contracts.
void expect_closed(const CertificateSchema& schema, const json& document, const json::json_pointer& place) {
  const json value = document[place];
  const std::string name = place.to_string();
  const bool open = name.ends_with("/environment") || name.ends_with("/parameters") || name.ends_with("/plan") ||
                    name.find("/contract") != std::string::npos;
  if (value.is_object() && !open) {
    json more = document;
    more[place]["zzz"] = 1;
    EXPECT_FALSE(schema.accepts(more)) << name << "/zzz";
    for (const auto& [key, member] : value.items()) {
      json less = document;
      less[place].erase(key);
      EXPECT_FALSE(schema.accepts(less)) << name << "/" << key << " removed";
      json other = document;
      other[place][key] = json::array({json::array({nullptr})});
      EXPECT_FALSE(schema.accepts(other)) << name << "/" << key << " of another type";
      expect_closed(schema, document, place / key);
    }
  } else if (value.is_array() && !value.empty() && value.front().is_object()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      expect_closed(schema, document, place / i);
    }
  }
}

TEST(CertificateSchema, IsClosedAtEveryPlace) {
  const CertificateSchema schema;
  expect_closed(schema, as_signed(testing::sample_files()), json::json_pointer());
}

}  // namespace
}  // namespace assay::certify
