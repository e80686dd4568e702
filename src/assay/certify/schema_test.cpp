#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <assay/certify/collect.hpp>
#include <assay/certify/sample_certificate.hpp>

// Holds the published schema against certificates as they are written.
namespace assay::certify {
namespace {

using Plain = nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

class CertificateSchema {
 public:
  CertificateSchema() {
    std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/schemas/certificate.schema.json");
    EXPECT_TRUE(file.good());
    text_ = Plain::parse(file);
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(NlohmannJsonAdapter(text_), schema_);
  }
  bool accepts(const Plain& document) const { return fault(document).empty(); }
  /// Where a document does not fit, and why; empty if it does.
  std::string fault(const Plain& document) const {
    valijson::Validator validator;
    valijson::ValidationResults results;
    std::string text;
    if (!validator.validate(schema_, NlohmannJsonAdapter(document), &results)) {
      for (valijson::ValidationResults::Error error; results.popError(error);) {
        for (const std::string& part : error.context) {
          text += part;
        }
        text += ": " + error.description + "\n";
      }
    }
    return text;
  }

 private:
  Plain text_;
  valijson::Schema schema_;
};

// Its seeds are below 2^63: valijson reads integers as signed.
Plain as_signed(const Files& files) {
  Plain document = Plain::parse(files.at(std::string(kCertificateFile)));
  for (const char* session : {"sweep", "confirmation"}) {
    if (document[session].is_object()) {
      document[session]["seed"] = 7;
    }
  }
  return document;
}

TEST(CertificateSchema, AcceptsWhatIsWritten) {
  const CertificateSchema schema;
  EXPECT_EQ(schema.fault(as_signed(testing::sample_files())), "");
  control::testing::Laboratory laboratory(testing::sample_configuration());
  testing::run_beside_another(laboratory);
  const auto unconfirmed = collect(laboratory.archive(), "scale-search", 1);
  ASSERT_TRUE(unconfirmed) << unconfirmed.error().text();
  EXPECT_EQ(schema.fault(as_signed(*unconfirmed)), "");
}

// Every object is closed and every field required, but for what names itself: environments, parameters, plans, contracts.
void expect_closed(const CertificateSchema& schema, const Plain& document, const Plain::json_pointer& place) {
  const Plain value = document[place];
  const std::string name = place.to_string();
  const bool open = name.ends_with("/environment") || name.ends_with("/parameters") || name.ends_with("/plan") ||
                    name.find("/contract") != std::string::npos;
  if (value.is_object() && !open) {
    Plain more = document;
    more[place]["zzz"] = 1;
    EXPECT_FALSE(schema.accepts(more)) << name << "/zzz";
    for (const auto& [key, member] : value.items()) {
      Plain less = document;
      less[place].erase(key);
      // A certificate of the first version is without it. That one of the second has it is the verifier's to see.
      EXPECT_EQ(schema.accepts(less), key == "checked_in_samples") << name << "/" << key << " removed";
      Plain other = document;
      other[place][key] = Plain::array({Plain::array({nullptr})});
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
  expect_closed(schema, as_signed(testing::sample_files()), Plain::json_pointer());
}

}  // namespace
}  // namespace assay::certify
